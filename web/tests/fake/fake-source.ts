import { BaseSource, type RawAnswer } from '../../src/source/base-source.ts';
import type { Source } from '../../src/source/source.ts';
import type { Answer, Tool } from '../../src/source/tools.ts';
import { type FakeMemory, fakeMemory } from './memory.ts';

type Args = Record<string, unknown>;

/** Answers the reading tools from a made-up memory. */
export class FakeSource extends BaseSource implements Source {
  readonly kind = 'browser';
  readonly #memory: FakeMemory;

  constructor(size: number) {
    super();
    this.#memory = fakeMemory(size);
    this.setStatus({
      connection: 'ready',
      storage: 'browser',
      encoder: { state: 'loading', doneBytes: 9_000_000, totalBytes: 35_000_000 },
    });
  }

  exportDatabase(): Promise<Answer<Blob>> {
    return Promise.resolve({
      ok: false,
      error: { error: 'There is nothing to export.', code: 'unsupported' },
      text: '',
    });
  }

  close(): void {}

  protected listTools(): Promise<readonly Tool[]> {
    return Promise.resolve([]);
  }

  protected async run(tool: string, args: string): Promise<RawAnswer> {
    const answer = this.#answer(tool, JSON.parse(args) as Args);
    if (answer !== undefined) return { isError: false, text: JSON.stringify(answer) };
    return { isError: true, text: JSON.stringify({ error: `No such tool here: ${tool}`, code: 'unknown_tool' }) };
  }

  #answer(tool: string, args: Args): unknown {
    switch (tool) {
      case 'explore_graph':
        return this.#graph(args);
      case 'explore_records':
        return this.#records(args);
      case 'explore_entity':
        return this.#entity(String(args['name']));
      case 'explore_stats':
        return {
          relation_types: ['uses', 'depends_on', 'owns', 'decided'].map((name) => ({ name, count: 12 })),
          entity_types: [],
        };
      case 'search_semantic':
        return this.#search(String(args['query']));
      default:
        return undefined;
    }
  }

  #graph({ names, depth = 1, limit = 200, neighbours_max = 1000 }: Args): unknown {
    const { entities, relations } = this.#memory;
    const found = new Map<number, number>();
    if (names === undefined)
      for (const { id } of [...entities].sort((a, b) => b.relations - a.relations).slice(0, Number(limit)))
        found.set(id, 0);
    else for (const { id, name } of entities) if ((names as string[]).includes(name)) found.set(id, 0);
    for (let step = 1; names !== undefined && step <= Number(depth); step += 1) {
      for (const id of [...found.keys()]) {
        const near = relations
          .filter(({ from_id, to_id }) => from_id === id || to_id === id)
          .slice(0, Number(neighbours_max));
        for (const { from_id, to_id } of near) {
          const other = from_id === id ? to_id : from_id;
          if (!found.has(other) && found.size < Number(limit)) found.set(other, step);
        }
      }
    }
    const inside = relations.filter(({ from_id, to_id }) => found.has(from_id) && found.has(to_id));
    return {
      nodes: entities.filter(({ id }) => found.has(id)).map((row) => ({ ...row, distance: found.get(row.id) })),
      edges: inside.map(({ from_id, to_id, ...edge }) => ({ ...edge, from: from_id, to: to_id })),
      memories: [],
      links: [],
      mentions: [],
      totals: { entities: entities.length, relations: relations.length, memories: 0, links: 0 },
      omitted: { nodes: 0, edges: 0, memories: 0, links: 0 },
    };
  }

  #records({ text = '', limit = 100 }: Args): unknown {
    const wanted = String(text).toLowerCase();
    const filterCalls = this.#memory.entities.filter(({ name, entityType }) =>
      `${name} ${entityType}`.toLowerCase().includes(wanted),
    );
    return {
      kind: 'entities',
      rows: filterCalls.slice(0, Number(limit)),
      total: filterCalls.length,
      columns: ['id', 'name'],
    };
  }

  #entity(name: string): unknown {
    const { entities, relations } = this.#memory;
    const entity = entities.find((row) => row.name === name);
    if (entity === undefined) return undefined;
    const text = (id: number, content: string, more: object = {}): object => ({
      id,
      entity_id: entity.id,
      entity: name,
      content,
      kind: 'generic',
      similarity_flag: 0,
      created_at: entity.created_at,
      vector: 'stored',
      ...more,
    });
    return {
      entity,
      observations: [
        text(1, 'Runs on the small cluster in Frankfurt', {
          superseded_at: entity.updated_at,
          superseded_by: 2,
          vector: 'none',
        }),
        text(2, 'Runs on the large cluster in Dublin since the move in June', { supersedes: 1, kind: 'milestone' }),
        text(3, 'Its tests take four minutes; two of them are slow because they wait for a real clock', {
          similarity_flag: 1,
        }),
        text(4, 'A name like <img src=x onerror=alert(1)> is text and nothing else', { vector: 'waiting' }),
      ],
      relations: relations.filter(({ from, to }) => from === name || to === name).slice(0, 12),
      reflections: [
        {
          id: 1,
          target_type: 'entity',
          target_id: entity.id,
          target: name,
          author: 'sofia',
          mood: 'insight',
          content: 'Most trouble here came from clocks, not from the network.',
          created_at: entity.updated_at,
        },
      ],
      access: {
        count: entity.access_count,
        days: Array.from({ length: 20 }, (_, index) => ({
          date: new Date(Date.now() - index * 2 * 86_400_000).toISOString().slice(0, 10),
          count: 1 + (index % 5),
        })),
      },
      found_together: entities.slice(3, 7).map(({ id, name: other, entityType }) => ({
        id,
        name: other,
        entityType,
        count: 9 - id,
        last: entity.updated_at,
      })),
      vector: 'stored',
    };
  }

  #search(query: string): unknown {
    const results = this.#memory.entities.slice(4, 14).map((entity, index) => ({
      name: entity.name,
      entityType: entity.entityType,
      observations: [
        'Runs on the large cluster in Dublin since the move in June',
        'Its tests take four minutes',
        `It was asked about: ${query}`,
      ],
      limbic_score: 1.1 - index * 0.08,
      scoring: { importance: 1.2 / (index + 1), temporal_factor: 1 - index * 0.05, cooc_boost: index % 3 },
      explanation: {
        relevance: 0.8 - index * 0.06,
        baseline_rank: ((index * 3) % 10) + 1,
        vector: { value: 0.5, share: 0.08 - index * 0.004 },
        late: { value: 0.6, share: 0.5 - index * 0.04 },
        lexical: { value: 8, share: 0.2 - index * 0.012 },
        best_observation: 'Runs on the large cluster in Dublin since the move in June',
      },
    }));
    return { results, mode: 'hybrid', pending_embeddings: 0, event_id: 1 };
  }
}
