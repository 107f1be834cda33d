import { isApart, type LabelledNode, type Line, type Picture, placeLabels } from './place-labels.ts';
import type { StageColors } from './stage-colors.ts';

const CHARACTERS_MAX = 36;
const RIM = 3;

/** A name as the graph shows it. */
export function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= CHARACTERS_MAX ? name : `${characters.slice(0, CHARACTERS_MAX - 1).join('')}…`;
}

/** Writes text with a rim in the colour of the ground, so that it can be read over nodes and lines. */
export function writeRimmed(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  { ground, text: color }: StageColors,
): void {
  context.lineWidth = RIM;
  context.lineJoin = 'round';
  context.strokeStyle = ground;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** Where a name of this width begins: right of its node, or left where the picture ends before it does. */
export function beginOf(context: CanvasRenderingContext2D, x: number, reach: number, width: number): number {
  const end = context.canvas.width / (context.getTransform().a || 1);
  const left = x - reach - width;
  return x + reach + width > end && left > 0 ? left : x + reach;
}

/** The lines written in one picture. */
export class Labels {
  #taken: Line[] = [];

  /** Another picture begins. */
  clear(): void {
    this.#taken = [];
  }

  /** The same lines, to which others can be added. */
  copy(): Labels {
    const copy = new Labels();
    copy.#taken = [...this.#taken];
    return copy;
  }

  /** Takes the place of a line, unless it is taken. */
  takes(line: Line): boolean {
    const isFree = this.#taken.every((other) => isApart(other, line));
    if (isFree) this.#taken.push(line);
    return isFree;
  }

  /** Writes the labels of nodes, the most important first, and takes their places. */
  write(
    context: CanvasRenderingContext2D,
    nodes: readonly WrittenNode[],
    picture: Picture,
    colors: StageColors,
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
      writeRimmed(context, texts[index] ?? '', line.left, line.y + line.height / 3, { ...colors, text });
    }
  }
}

export interface LabelFont {
  readonly family: string;
  /** In pixels. */
  readonly size: number;
}

/** A node with its label, which is not measured yet. */
export interface WrittenNode extends Omit<LabelledNode, 'width' | 'height'> {
  readonly label: string;
}

function fontOf({ rank }: WrittenNode, { family, size }: LabelFont): string {
  return `${rank === 'other' ? '' : '600 '}${size}px ${family}`;
}
