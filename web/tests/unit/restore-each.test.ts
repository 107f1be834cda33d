/** Undo through tool calls: one step that fails does not keep the others from being restored. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { notify, notifyError } from '../../src/app/toasts.tsx';
import { deleteEntities, deleteObservations, deleteRelations } from '../../src/mutations/bulk.ts';
import { deleteMemories } from '../../src/mutations/memories.ts';
import { changeMemories } from '../../src/mutations/memory-bulk.ts';
import { removeLinks } from '../../src/mutations/memory-links.ts';
import { mergeObservations } from '../../src/mutations/merge.ts';
import type { Source } from '../../src/source/source.ts';
import { createStore } from '../../src/source/store.ts';

vi.mock('../../src/app/toasts.tsx', () => ({ notify: vi.fn(), notifyError: vi.fn() }));

type Args = Readonly<Record<string, unknown>>;
type Handler = (args: Args) => unknown;

const FAILED = { error: 'the disk is full', code: 'disk_full', hint: 'Make room.' };

/** A server, which imports no files, with answers by tool; an answer of `undefined` is a failure. */
class Server {
  readonly calls: [string, Args][] = [];
  readonly #answers: Readonly<Record<string, Handler>>;

  constructor(answers: Readonly<Record<string, Handler>>) {
    this.#answers = answers;
  }

  get source(): Source {
    const call = async (tool: string, args: Args) => {
      this.calls.push([tool, args]);
      const value = this.#answers[tool]?.(args);
      return value === undefined ? { ok: false, error: FAILED, text: '' } : { ok: true, value, text: '' };
    };
    return { call, status: createStore({}) } as unknown as Source;
  }

  /** The arguments of the calls of a tool since the last time. */
  taken(tool: string): Args[] {
    return this.calls.splice(0).flatMap(([called, args]) => (called === tool ? [args] : []));
  }
}

/** Presses Undo in the last toast, and waits until it has ended. */
async function undo(): Promise<void> {
  const action = vi.mocked(notify).mock.lastCall?.[0].action;
  expect(action?.label).toBe('Undo');
  action?.run();
  await vi.waitUntil(async () => {
    const before = vi.mocked(notify).mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return before === vi.mocked(notify).mock.calls.length;
  });
}

const errors = () => [
  ...vi.mocked(notify).mock.calls.filter(([{ isError }]) => isError === true),
  ...vi.mocked(notifyError).mock.calls,
];

beforeEach(() => vi.clearAllMocks());

describe('an undo whose first step fails restores the others and shows one error', () => {
  it('of changed memories', async () => {
    let isUndoing = false;
    const server = new Server({
      explore_memory: ({ id }) => ({ memory: { id, content: id } }),
      memory_update: ({ id }) => (isUndoing && id === 'a' ? undefined : {}),
    });
    const rows = ['a', 'b', 'c'].map((id) => ({ id, content: id }));
    await changeMemories(server.source, rows, {
      change: { pinned: true },
      back: () => ({ pinned: false }),
      what: String,
    });
    server.taken('');
    isUndoing = true;
    await undo();
    expect(server.taken('memory_update').map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(errors()).toHaveLength(1);
    expect(vi.mocked(notify).mock.lastCall?.[0]).toMatchObject({
      text: 'Undo did not restore everything. 1 of 3 steps failed.',
      detail: 'the disk is full Make room.',
    });
  });

  it('of removed links', async () => {
    const server = new Server({
      memory_link: ({ remove, from_id: from }) => (remove === true ? { removed: true } : from === 'a' ? undefined : {}),
    });
    const rows = ['a', 'b'].map((id) => ({ from_id: id, to_id: 'x', from: id, to: 'x', type: 'related' }));
    await removeLinks(server.source, rows as never);
    server.taken('');
    await undo();
    expect(server.taken('memory_link').map(({ from_id }) => from_id)).toEqual(['a', 'b']);
    expect(errors()).toHaveLength(1);
  });

  it('of deleted memories', async () => {
    const memory = (id: string) => ({ id, content: id, category: 'fact', memory_type: 'semantic', tier: 'warm' });
    const server = new Server({
      explore_memory: ({ id }) => ({
        memory: memory(id as string),
        entities: [],
        links: [{ id: '1', from_id: 'a', to_id: 'b', type: 'related' }],
        symbols: [],
        sessions: [],
        history: [],
        confidence: { points: [] },
      }),
      memory_forget: () => ({}),
      memory_store: ({ id }) => (id === 'a' ? undefined : {}),
    });
    await deleteMemories(server.source, ['a', 'b']);
    server.taken('');
    await undo();
    expect(server.taken('memory_store').map(({ id }) => id)).toEqual(['a', 'b']);
    expect(errors()).toHaveLength(1);
  });

  const snapshot = ({ name }: Args) => ({
    entity: { name, entityType: 'T', status: 'active' },
    observations: [
      { id: 1, entity: name, content: 'first', kind: 'generic' },
      { id: 2, entity: name, content: 'second', kind: 'other' },
      { id: 3, entity: name, content: 'third', kind: 'generic' },
    ],
    relations: [],
    reflections: [],
    access: { count: 0, days: [] },
    found_together: [],
  });

  it('of deleted observations', async () => {
    const server = new Server({
      explore_entity: snapshot,
      delete_observations: () => ({}),
      add_observations: ({ kind }) => (kind === 'generic' ? undefined : {}),
    });
    await deleteObservations(server.source, snapshot({ name: 'e' }).observations as never);
    server.taken('');
    await undo();
    expect(server.taken('add_observations').map(({ kind }) => kind)).toEqual(['generic', 'other']);
    expect(errors()).toHaveLength(1);
  });

  it('of merged observations', async () => {
    let isUndoing = false;
    const server = new Server({
      explore_entity: snapshot,
      delete_observations: () => ({}),
      add_observations: ({ supersedes, observations }) => {
        if (isUndoing && (supersedes !== undefined || (observations as string[])[0] === 'second')) return undefined;
        return { added: [{ id: 9, content: (observations as string[])[0] }] };
      },
    });
    const [kept, ...others] = ['first', 'second', 'third'].map((text, index) => ({ id: index + 1, text }));
    if (kept === undefined) throw new Error('there is no text');
    await mergeObservations(server.source, 'e', kept, 'new words', others);
    server.taken('');
    isUndoing = true;
    await undo();
    expect(server.taken('add_observations').map(({ observations }) => observations)).toEqual([
      ['first'],
      ['second'],
      ['third'],
    ]);
    expect(errors()).toHaveLength(1);
  });

  it('of a merge without new words that failed says which words were kept', async () => {
    const server = new Server({ explore_entity: snapshot, delete_observations: () => ({}) });
    await mergeObservations(server.source, 'e', { id: 1, text: 'first' }, 'new words', [{ id: 2, text: 'second' }]);
    expect(vi.mocked(notifyError)).toHaveBeenCalledOnce();
    expect(vi.mocked(notify).mock.lastCall?.[0].detail).toBe('Kept: first');
  });

  /** More than one call takes. */
  const MANY = 1500;

  it('of deleted entities', async () => {
    const server = new Server({
      explore_entity: snapshot,
      delete_entities: ({ entityNames }) => ({ deleted: entityNames }),
      create_entities: ({ entities }) => ((entities as { name: string }[])[0]?.name === 'e0' ? undefined : {}),
      add_observations: () => ({ added: [] }),
    });
    await deleteEntities(server.source, ['e0', 'e1', 'e2']);
    server.taken('');
    await undo();
    const names = server.taken('add_observations').map(({ name }) => name);
    expect([...new Set(names)]).toEqual(['e1', 'e2']);
    expect(errors().length).toBeGreaterThan(0);
  });

  it('of deleted relations, more than one call takes', async () => {
    const relations = Array.from({ length: MANY }, (_, id) => ({
      id,
      from: 'e',
      to: `t${id}`,
      relationType: 'uses',
      weight: 1,
      active: id !== MANY - 1,
    }));
    const server = new Server({
      explore_entity: snapshot,
      delete_relations: (args) => ({ deleted: args['relations'] }),
      create_relations: (args) => {
        const some = args['relations'] as { to: string }[];
        return some[0]?.to === 't0' ? undefined : { relations: some.map(({ to }) => ({ id: `new ${to}` })) };
      },
      end_relation: () => ({}),
    });
    await deleteRelations(server.source, relations as never);
    server.calls.splice(0);
    await undo();
    const calls = [...server.calls];
    expect(calls.filter(([tool]) => tool === 'create_relations')).toHaveLength(2);
    expect(calls.filter(([tool]) => tool === 'end_relation')).toEqual([
      ['end_relation', { relation_id: `new t${MANY - 1}` }],
    ]);
    expect(errors()).toHaveLength(1);
  });
});
