/** Changes of several records or of trust, each with one toast and one undo. */
import { expect, it, vi } from 'vitest';
import { notify } from '../../src/app/toasts.tsx';
import { distrust } from '../../src/mutations/distrust.ts';
import { ARCHIVED, setStatus } from '../../src/mutations/status.ts';
import type { Source } from '../../src/source/source.ts';

vi.mock('../../src/app/toasts.tsx', () => ({ notify: vi.fn(), notifyError: vi.fn() }));

const lastNotice = (): { readonly action?: { readonly run: () => void } } | undefined =>
  vi.mocked(notify).mock.lastCall?.[0];

it('ends the trust in an origin with undo', async () => {
  const calls: unknown[] = [];
  const call = async (tool: string, args: object): Promise<unknown> => {
    calls.push([tool, args]);
    return { ok: true, value: {} };
  };
  const source = { call } as unknown as Source;
  expect(await distrust(source, 'client:rules', 'Client rules')).toBe(true);
  lastNotice()?.action?.run();
  expect(calls).toEqual([
    ['review_inbox', { distrust: ['client:rules'] }],
    ['review_inbox', { trust: ['client:rules'] }],
  ]);
});

it('changes the status of the entities that are left', async () => {
  const calls: unknown[] = [];
  const call = async (tool: string, args: { name?: string }): Promise<unknown> => {
    if (tool === 'explore_entity') {
      const entity = { name: args.name, entityType: 'Service', status: 'activo' };
      return args.name === 'gone'
        ? { ok: false, error: { error: 'No entity is named gone', code: 'entity_not_found' } }
        : { ok: true, value: { entity } };
    }
    calls.push(args);
    return { ok: true, value: {} };
  };
  const source = { call } as unknown as Source;
  expect(await setStatus(source, ['Atlas', 'gone'], ARCHIVED)).toBe(true);
  expect(lastNotice()).toMatchObject({ detail: 'Another client had deleted 1 entity before.' });
  lastNotice()?.action?.run();
  // Their types may have changed meanwhile. The undo asks first which of them are left.
  await expect
    .poll(() => calls)
    .toEqual([
      { entities: [{ name: 'Atlas', status: ARCHIVED }] },
      { entities: [{ name: 'Atlas', status: 'activo' }] },
    ]);
  expect(await setStatus(source, ['gone'], ARCHIVED)).toBe(false);
  expect(calls).toHaveLength(2);
});
