import { describe, expect, it } from 'vitest';
import { runLayout } from '../../src/views/graph/run-layout.ts';
import { EDGE_FIELDS, type FromLayout, NODE_FIELDS } from '../../src/views/graph/layout-messages.ts';

describe('a layout without a worker', () => {
  const task = (id: number) => ({
    id,
    nodes: Float32Array.from({ length: 300 * NODE_FIELDS }, (_, index) => (index * 7919) % 31),
    edges: new Float32Array(EDGE_FIELDS),
    communities: new Int32Array(300),
    startsAnew: false,
  });

  it('yields to other tasks, and ends when it is cancelled', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 0);
    const received: FromLayout[] = [];
    let wanted = true;
    const layout = runLayout(
      task(1),
      (message) => received.push(message),
      () => wanted,
      1,
    );
    await new Promise((resolve) => setTimeout(resolve, 0));
    wanted = false;
    await layout;
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
    expect(received.filter(({ isDone }) => isDone)).toEqual([]);
  });
});
