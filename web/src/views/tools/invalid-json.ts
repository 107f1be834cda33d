/** A text in a JSON field that is not valid JSON. It is kept among the arguments, so that no call goes without it. */
export class InvalidJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value of a JSON field: `undefined` for an empty one. */
export function parseJsonField(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new InvalidJson(text);
  }
}

/** Whether a value has an invalid JSON field in it. */
export function hasInvalidJson(value: unknown): boolean {
  if (value instanceof InvalidJson) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInvalidJson);
}
