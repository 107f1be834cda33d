/** Fields of a node in the layout matrix: x, y, forces, mass, convergence, size, fixed. */
export const NODE_FIELDS = 10;
export const NODE_MASS = 6;
export const NODE_CONVERGENCE = 7;
export const NODE_SIZE = 8;
export const NODE_FIXED = 9;
/** Fields of an edge: offsets of both nodes in the matrix, weight. */
export const EDGE_FIELDS = 3;

export interface ToLayout {
  readonly id: number;
  readonly nodes: Float32Array<ArrayBuffer>;
  readonly edges: Float32Array<ArrayBuffer>;
  /** The community of each node, in the order of the table. */
  readonly communities: Int32Array<ArrayBuffer>;
  /** Whether the nodes start beside their community instead of where the table has them. */
  readonly startsAnew: boolean;
}

export interface FromLayout {
  readonly id: number;
  /** x and y of each node, in the order of the table. */
  readonly positions: Float32Array<ArrayBuffer>;
  readonly isDone: boolean;
}
