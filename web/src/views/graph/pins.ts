/** Positions of pinned nodes, stored for the tab's session, by kind and name or id. */
const KEY = 'limbic-pins';

export interface Place {
  readonly x: number;
  readonly y: number;
}

export class Pins {
  readonly #places: Map<string, Place>;

  constructor() {
    this.#places = stored();
  }

  get(name: string): Place | undefined {
    return this.#places.get(name);
  }

  set(name: string, place: Place): void {
    this.#places.set(name, { x: place.x, y: place.y });
    this.#store();
  }

  delete(name: string): void {
    this.#places.delete(name);
    this.#store();
  }

  #store(): void {
    try {
      sessionStorage.setItem(KEY, JSON.stringify([...this.#places]));
    } catch {
      // Without storage, they are kept until the view is left.
    }
  }
}

function stored(): Map<string, Place> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return new Map(value as [string, Place][]);
  } catch {
    return new Map();
  }
}
