/** What an inspector is given. */
export interface InspectorProps {
  readonly id: string;
}
