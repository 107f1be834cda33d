/** Node shapes: discs for entities, squares for memories, so that they differ without colour. */
export type Shape = 'circle' | 'square';

/** Half the side of a square inscribed in the node's disc, as a share of the radius. */
export const HALF_SIDE = Math.SQRT1_2;

/** Begins a path around a node. */
export function pathOf(context: CanvasRenderingContext2D, shape: unknown, x: number, y: number, radius: number): void {
  const half = radius * HALF_SIDE;
  context.beginPath();
  if (shape === 'square') context.rect(x - half, y - half, half * 2, half * 2);
  else context.arc(x, y, radius, 0, Math.PI * 2);
}
