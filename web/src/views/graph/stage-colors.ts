/** What the graph is drawn in, from the page's theme. */
export interface StageColors {
  readonly text: string;
  /** Of names that matter less. */
  readonly muted: string;
  /** Behind labels that stand out. */
  readonly background: string;
  /** Behind the graph. */
  readonly ground: string;
  readonly edge: string;
  /** Of lines that are so many that they fill the ground. */
  readonly dense: string;
  readonly faded: string;
  readonly accent: string;
  readonly supports: string;
  readonly contradicts: string;
  readonly supersedes: string;
}
