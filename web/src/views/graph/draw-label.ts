import type { NodeLabelDrawingFunction } from 'sigma/rendering';
import type { StageColors } from './stage-colors.ts';

const CHARACTERS_MAX = 36;
const RIM = 3;
/** A name may lie on nodes that are smaller than its own by this factor: those that count most keep theirs. */
const SMALLER = 0.6;
/** Between a node and its name. */
const GAP = 3;

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

/** A written line, or a node; both in screen pixels. */
export interface Line {
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly height: number;
}

/** What is written in one picture; what would cover something is left out. */
export class Labels {
  #taken: Line[] = [];
  #nodes: readonly Line[] | undefined;
  #nodesOf: () => readonly Line[] = () => [];

  /** Another picture begins. Where its nodes lie is known only when it is drawn. */
  clear(nodesOf: () => readonly Line[]): void {
    this.#taken = [];
    this.#nodes = undefined;
    this.#nodesOf = nodesOf;
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

  /** Takes the place of a node's name, unless that is taken or lies on another node that is as high as `most`. */
  #takesName(line: Line, most = 0): boolean {
    this.#nodes ??= this.#nodesOf();
    return this.#nodes.every((node) => node.height < most || isApart(node, line)) && this.takes(line);
  }

  drawer(colors: StageColors): NodeLabelDrawingFunction {
    return (context, { x, y, size, label, forceLabel }, { labelSize, labelFont }) => {
      if (typeof label !== 'string' || label === '') return;
      const text = shortened(label);
      context.font = `${labelSize}px ${labelFont}`;
      const { width } = context.measureText(text);
      const first = beginOf(context, x, size + GAP, width);
      const other = x - size - GAP - width;
      const places = other > 0 && other !== first ? [first, other] : [first];
      const takes = (most?: number) =>
        places.find((left) => this.#takesName({ left, right: left + width, y, height: labelSize }, most));
      const free = takes() ?? takes(size * 2 * SMALLER);
      const left = free ?? (forceLabel === true ? first : undefined);
      if (left !== undefined) writeRimmed(context, text, left, y + labelSize / 3, colors);
    };
  }
}

function isApart(one: Line, other: Line): boolean {
  return (
    Math.abs(one.y - other.y) >= (one.height + other.height) / 2 || one.left > other.right || one.right < other.left
  );
}
