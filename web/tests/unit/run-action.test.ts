import { beforeEach, expect, it, vi } from 'vitest';
import type { Source } from '../../src/source/source.ts';
import { entities } from '../../src/views/table/kinds/entities.tsx';
import { links } from '../../src/views/table/kinds/links.tsx';
import { memories } from '../../src/views/table/kinds/memories.tsx';
import type { RecordKind, Row } from '../../src/views/table/record-kind.ts';
import { relations } from '../../src/views/table/kinds/relations.tsx';
import { runAction } from '../../src/views/table/run-action.ts';
import { confirm } from '../../src/components/confirm.tsx';

vi.mock('../../src/components/confirm.tsx', () => ({ confirm: vi.fn(async () => false), askFor: vi.fn() }));
vi.mock('../../src/app/theme.ts', () => ({ shownTheme: {} }));

beforeEach(() => void vi.mocked(confirm).mockClear());

/** What the user is asked before an action on many records, in the browser. */
async function asked(kind: RecordKind<never>, title: string, count = 21) {
  const action = kind.actions.find((one) => one.title === title);
  if (action === undefined) throw new Error(`no action ${title}`);
  const rows = Array.from({ length: count }, () => ({ active: true, pinned: false })) as unknown as Row[];
  const source = { importFile: async () => ({ ok: true }) } as unknown as Source;
  await runAction(source, kind as unknown as RecordKind<Row>, { ...action, run: async () => true } as never, rows);
  return vi.mocked(confirm).mock.lastCall?.[0];
}

it('an action on many records says what Undo does', async () => {
  expect(await asked(entities, 'Delete')).toMatchObject({ text: 'Undo restores them.', isDanger: true });
  const today = 'Undo creates them again with today’s date.';
  expect(await asked(links, 'Remove')).toMatchObject({ text: today, isDanger: true });
  expect(await asked(relations, 'End')).toMatchObject({ text: today, isDanger: false });
  expect(await asked(memories, 'Pin')).toMatchObject({ text: 'Undo unpins them.', isDanger: false });
});

it('an action on a few records asks nothing', async () => {
  expect(await asked(entities, 'Delete', 20)).toBeUndefined();
});
