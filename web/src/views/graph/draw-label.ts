import type { NodeLabelDrawingFunction } from 'sigma/rendering';
import type { StageColors } from './stage.ts';

const CHARACTERS_MAX = 36;
const RIM = 3;
/** Between a node and its name. */
const GAP = 3;

/** A name as the graph shows it. */
export function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= CHARACTERS_MAX ? name : `${characters.slice(0, CHARACTERS_MAX - 1).join('')}…`;
}

/** Writes text with a rim in the colour of the ground, so that it can be read over nodes and lines. */
export function writeRimmed(context: CanvasRenderingContext2D, text: string, x: number, y: number, { ground, text: color }: StageColors): void {
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

interface Line {
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly height: number;
}

/** What is written in one picture; what would cover something is left out. */
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
    const isFree = this.#taken.every((other) => Math.abs(other.y - line.y) >= (other.height + line.height) / 2 || other.left > line.right || other.right < line.left);
    if (isFree) this.#taken.push(line);
    return isFree;
  }

  drawer(colors: StageColors): NodeLabelDrawingFunction {
    return (context, { x, y, size, label, forceLabel }, { labelSize, labelFont }) => {
      if (typeof label !== 'string' || label === '') return;
      const text = shortened(label);
      context.font = `${labelSize}px ${labelFont}`;
      const { width } = context.measureText(text);
      const left = beginOf(context, x, size + GAP, width);
      const isFree = this.takes({ left, right: left + width, y, height: labelSize });
      if (isFree || forceLabel === true) writeRimmed(context, text, left, y + labelSize / 3, colors);
    };
  }
}
