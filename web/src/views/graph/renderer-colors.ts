/** The colours of the graph, from the page's theme. */
export interface RendererColors {
  readonly text: string;
  /** Of less important labels. */
  readonly muted: string;
  /** Behind labels that stand out. */
  readonly background: string;
  /** Behind the graph. */
  readonly ground: string;
  readonly edge: string;
  /** Of edges in dense graphs. */
  readonly dense: string;
  readonly faded: string;
  readonly accent: string;
  readonly supports: string;
  readonly contradicts: string;
  readonly supersedes: string;
}
