import { isApart, type LabelledNode, type Line, type Picture, placeLabels } from './place-labels.ts';
import type { RendererColors } from './renderer-colors.ts';

const MAX_CHARACTERS = 36;
const OUTLINE = 3;

/** Truncates a name for its label. */
export function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= MAX_CHARACTERS ? name : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}

/** Draws text with an outline in the background colour, so that it is readable over nodes and edges. */
export function writeOutlined(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  { ground, text: color }: RendererColors,
): void {
  context.lineWidth = OUTLINE;
  context.lineJoin = 'round';
  context.strokeStyle = ground;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** The left edge of a label: right of its node or, at the border of the picture, left of it. */
export function leftOf(context: CanvasRenderingContext2D, x: number, reach: number, width: number): number {
  const end = context.canvas.width / (context.getTransform().a || 1);
  const left = x - reach - width;
  return x + reach + width > end && left > 0 ? left : x + reach;
}

/** The labels of one frame. */
export class Labels {
  #taken: Line[] = [];

  /** Starts a new frame. */
  clear(): void {
    this.#taken = [];
  }

  /** A copy, to which labels can be added. */
  copy(): Labels {
    const copy = new Labels();
    copy.#taken = [...this.#taken];
    return copy;
  }

  /** Reserves the area of a label. Returns whether it was free. */
  takes(line: Line): boolean {
    const isFree = this.#taken.every((other) => isApart(other, line));
    if (isFree) this.#taken.push(line);
    return isFree;
  }

  /** Draws the labels of nodes, the most important first, and reserves their areas. */
  write(
    context: CanvasRenderingContext2D,
    nodes: readonly WrittenNode[],
    picture: Picture,
    colors: RendererColors,
    font: LabelFont,
  ): void {
    const texts = nodes.map(({ label }) => shortened(label));
    const sized = nodes.map((node, index) => {
      context.font = fontOf(node, font);
      return { ...node, width: context.measureText(texts[index] ?? '').width, height: font.size };
    });
    for (const { index, line } of placeLabels(sized, picture)) {
      this.#taken.push(line);
      const node = nodes[index];
      if (node === undefined) continue;
      context.font = fontOf(node, font);
      const text = node.rank === 'other' ? colors.muted : colors.text;
      writeOutlined(context, texts[index] ?? '', line.left, line.y + line.height / 3, { ...colors, text });
    }
  }
}

export interface LabelFont {
  readonly family: string;
  /** Size in pixels. */
  readonly size: number;
}

/** A node with its unmeasured label. */
export interface WrittenNode extends Omit<LabelledNode, 'width' | 'height'> {
  readonly label: string;
}

function fontOf({ rank }: WrittenNode, { family, size }: LabelFont): string {
  return `${rank === 'other' ? '' : '600 '}${size}px ${family}`;
}
