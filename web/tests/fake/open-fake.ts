import type { Opened } from '../../src/source/open-source.ts';
import { FakeSource } from './fake-source.ts';

/** A source of made-up data, for looking at views without a core. `?nodes=10000` makes it large. */
export async function openFake(): Promise<Opened> {
  const nodes = Number(new URLSearchParams(location.search).get('nodes') ?? '300');
  return { source: new FakeSource(nodes) };
}
