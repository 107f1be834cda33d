/** A written line, or a node; both in screen pixels. */
export interface Line {
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly height: number;
}

/** A node that may get a label, in screen pixels. */
export interface LabelledNode {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** Width and height of its label. */
  readonly width: number;
  readonly height: number;
  /** Hubs keep their label where it covers other nodes, the focus also where it covers other labels. */
  readonly rank: 'focus' | 'hub' | 'other';
}

export interface PlacedLabel {
  /** Index of its node. */
  readonly index: number;
  readonly line: Line;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Nodes, which labels may not cover, except those of hubs and the focus. */
  readonly obstacles: readonly Line[];
  /** Maximum number of labels, except for hubs and the focus. */
  readonly labelsMax: number;
}

/** Between a label and the border of the picture. */
const MARGIN = 6;
/** Between two labels in a line. */
const SPACE = 8;
/** Between a node and its label. */
const GAP = 3;
/** A label may lie on nodes that are smaller than its own by this factor. */
const SMALLER = 0.6;

/**
 * Positions of labels: for each of `nodes`, in order of importance, the first free position around the node, so that
 * labels do not overlap. A label without a free position is omitted.
 */
export function placeLabels(
  nodes: readonly LabelledNode[],
  { width, height, obstacles, labelsMax }: Picture,
): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  const covers = (line: Line, minHeight: number): boolean =>
    obstacles.some((other) => other.height >= minHeight && !isApart(other, line));
  nodes.forEach((node, index) => {
    if (placed.length >= labelsMax && node.rank === 'other') return;
    const lines = placesOf(node).filter((line) => isWithin(line, width, height));
    const free = lines.filter((line) => {
      const spaced = { ...line, left: line.left - SPACE, right: line.right + SPACE };
      return placed.every(({ line: other }) => isApart(other, spaced));
    });
    const line =
      free.find((line) => !covers(line, 0)) ??
      free.find((line) => !covers(line, node.radius * 2 * SMALLER)) ??
      (node.rank === 'other' ? undefined : (free[0] ?? (node.rank === 'focus' ? placesOf(node)[0] : undefined)));
    if (line !== undefined) placed.push({ index, line });
  });
  return placed;
}

/** Right, left, below and above the node, then at its corners. */
function placesOf({ x, y, radius, width, height }: LabelledNode): Line[] {
  const [beside, below] = [radius + GAP, radius + GAP + height / 2];
  const corner = radius * Math.SQRT1_2 + GAP;
  const at = (left: number, middle: number): Line => ({ left, right: left + width, y: middle, height });
  return [
    at(x + beside, y),
    at(x - beside - width, y),
    at(x - width / 2, y + below),
    at(x - width / 2, y - below),
    at(x + corner, y + corner + height / 2),
    at(x + corner, y - corner - height / 2),
    at(x - corner - width, y + corner + height / 2),
    at(x - corner - width, y - corner - height / 2),
  ];
}

function isWithin({ left, right, y, height }: Line, wide: number, high: number): boolean {
  return left >= MARGIN && right <= wide - MARGIN && y - height / 2 >= MARGIN && y + height / 2 <= high - MARGIN;
}

/** Whether two areas do not overlap. */
export function isApart(one: Line, other: Line): boolean {
  return (
    Math.abs(one.y - other.y) >= (one.height + other.height) / 2 || one.left > other.right || one.right < other.left
  );
}
