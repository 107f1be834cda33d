/** The props of an inspector. */
export interface InspectorProps {
  readonly id: string;
}
