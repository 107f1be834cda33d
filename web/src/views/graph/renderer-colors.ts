/** The colours of the graph, from the page's theme. */
export interface RendererColors {
  readonly text: string;
  /** Colour of less important labels. */
  readonly muted: string;
  /** Colour behind labels that stand out. */
  readonly background: string;
  /** Colour behind the graph. */
  readonly ground: string;
  readonly edge: string;
  /** Colour of edges in dense graphs. */
  readonly dense: string;
  readonly faded: string;
  readonly accent: string;
  readonly supports: string;
  readonly contradicts: string;
  readonly supersedes: string;
}
