import { beforeEach, expect, it, vi } from 'vitest';
import { notify } from '../../src/app/toasts.tsx';
import { setStatus } from '../../src/mutations/status.ts';
import type { Source } from '../../src/source/source.ts';

vi.mock('../../src/app/toasts.tsx', () => ({ notify: vi.fn(), notifyError: vi.fn() }));
beforeEach(() => void vi.mocked(notify).mockClear());

/** A memory of entities with their statuses. */
function memoryOf(statuses: Record<string, string>): Source {
  const call = async (tool: string, args: { name: string; entities: { name: string; status: string }[] }) => {
    if (tool === 'create_entities') {
      for (const { name, status } of args.entities) statuses[name] = status;
      return { ok: true, value: {} };
    }
    const status = statuses[args.name];
    if (status === undefined) return { ok: false, error: { error: 'none', code: 'entity_not_found' } };
    return { ok: true, value: { entity: { name: args.name, status } } };
  };
  return { call } as unknown as Source;
}

async function undo(): Promise<void> {
  vi.mocked(notify).mock.lastCall?.[0].action?.run();
  await new Promise((resolve) => setTimeout(resolve));
}

it('the undo of a status gives each entity its former one', async () => {
  const statuses = { a: 'active', b: 'paused' };
  await setStatus(memoryOf(statuses), ['a', 'b'], 'archived');
  expect(statuses).toEqual({ a: 'archived', b: 'archived' });
  await undo();
  expect(statuses).toEqual({ a: 'active', b: 'paused' });
});

it('the undo of a status does not create entities again that were deleted meanwhile', async () => {
  const statuses: Record<string, string> = { a: 'active', b: 'paused' };
  await setStatus(memoryOf(statuses), ['a', 'b'], 'archived');
  delete statuses['b'];
  await undo();
  expect(statuses).toEqual({ a: 'active' });
  expect(vi.mocked(notify).mock.lastCall?.[0].text).toBe('Another client had deleted 1 entity before.');
});

it('the undo of a status says that no entity is left', async () => {
  const statuses: Record<string, string> = { a: 'active' };
  await setStatus(memoryOf(statuses), ['a'], 'archived');
  delete statuses['a'];
  await undo();
  expect(statuses).toEqual({});
  expect(vi.mocked(notify).mock.lastCall?.[0].text).toContain('has deleted this meanwhile');
});
