/** Positions of pinned nodes, stored for the tab's session, by kind and name or id. */
import { readText, writeText } from '../../components/web-storage.ts';

const KEY = 'limbic-pins';

export interface Position {
  readonly x: number;
  readonly y: number;
}

export class Pins {
  readonly #positions: Map<string, Position>;

  constructor() {
    this.#positions = stored();
  }

  get(name: string): Position | undefined {
    return this.#positions.get(name);
  }

  set(name: string, position: Position): void {
    this.#positions.set(name, { x: position.x, y: position.y });
    this.#store();
  }

  delete(name: string): void {
    this.#positions.delete(name);
    this.#store();
  }

  #store(): void {
    writeText('sessionStorage', KEY, JSON.stringify([...this.#positions]));
  }
}

function stored(): Map<string, Position> {
  try {
    const value: unknown = JSON.parse(readText('sessionStorage', KEY) ?? '[]');
    return new Map(value as [string, Position][]);
  } catch {
    return new Map();
  }
}
