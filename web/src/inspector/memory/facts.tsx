import { updateMemory } from '../../edits/memories.ts';
import { EditableText } from '../../parts/editable-text.tsx';
import { ago, fullTime } from '../../parts/format.ts';
import inputs from '../../parts/input.module.css';
import { CATEGORIES, MEMORY_TYPES, TIERS } from '../../parts/memory-words.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import type { Input, Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import styles from './memory-inspector.module.css';
import { tagsOf } from './tags.ts';

type Change = Omit<Input<'memory_update'>, 'id'>;

/** What is said of a memory, field by field. */
export function Facts({ data: { memory, vector } }: { readonly data: Output<'explore_memory'> }) {
  const source = useSource();
  const { id, tags, created_at, updated_at } = memory;
  const change = (part: Change): Promise<boolean> => updateMemory(source, id, part);
  const now = Date.now();
  return (
    <dl className={styles.facts}>
      <dt>Category</dt>
      <dd>
        <Pick label="Category" chosen={memory.category} options={CATEGORIES} onPick={(category) => change({ category })} />
      </dd>
      <dt>Type</dt>
      <dd>
        <Pick label="Type" chosen={memory.memory_type} options={MEMORY_TYPES} onPick={(memory_type) => change({ memory_type })} />
      </dd>
      <dt>Subject</dt>
      <dd>
        <EditableText label="Subject" text={memory.subject} placeholder="none" onSave={(subject) => change({ subject })} />
      </dd>
      <dt>Tags</dt>
      <dd>
        <EditableText label="Tags, with commas between them" text={tags.join(', ')} placeholder="none" onSave={(text) => change({ tags: tagsOf(text) })} />
      </dd>
      <dt>Domain</dt>
      <dd>
        <DomainPick domain={memory.domain} onPick={(domain) => change({ domain })} />
      </dd>
      <dt>Tier</dt>
      <dd>
        <Pick label="Tier" chosen={memory.tier} options={TIERS} onPick={(tier) => change({ tier })} />
        <span className={styles.aside}>{memory.heat}</span>
      </dd>
      <dt>Importance</dt>
      <dd>
        <EditableText label="Importance, 0 to 10" text={String(memory.importance)} onSave={(text) => change({ importance: Number(text) })} />
      </dd>
      <dt>Source</dt>
      <dd>
        <EditableText label="Source" text={memory.source ?? ''} placeholder="not told" onSave={(origin) => change({ source: origin })} />
      </dd>
      {memory.path !== undefined && (
        <>
          <dt>Path</dt>
          <dd>
            <EditableText label="Path" text={memory.path} onSave={(path) => change({ path })} />
          </dd>
        </>
      )}
      {memory.summary !== undefined && (
        <>
          <dt>Summary</dt>
          <dd>
            <EditableText label="Summary" text={memory.summary} placeholder="none" onSave={(summary) => change({ summary })} isLong />
          </dd>
        </>
      )}
      {memory.user_id !== undefined && (
        <>
          <dt>User</dt>
          <dd className={styles.word}>{memory.user_id}</dd>
        </>
      )}
      <dt>Stored</dt>
      <dd title={fullTime(created_at)}>
        {ago(created_at, now)}
        {updated_at !== undefined && updated_at !== created_at && <span title={fullTime(updated_at)}>, changed {ago(updated_at, now)}</span>}
      </dd>
      <dt>Vector</dt>
      <dd>{vector}</dd>
    </dl>
  );
}

interface PickProps<T extends string> {
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly T[];
  readonly titleOf?: (option: T) => string;
  readonly onPick: (option: T) => Promise<boolean>;
}

function Pick<T extends string>({ label, chosen, options, titleOf = (option) => option, onPick }: PickProps<T>) {
  const canEdit = useCanEdit();
  if (!canEdit) return <span>{chosen}</span>;
  // Another program may have written a word of its own.
  const all: readonly string[] = options.some((option) => option === chosen) ? options : [chosen, ...options];
  return (
    <select className={`${inputs.box} ${styles.pick}`} aria-label={label} value={chosen} onChange={({ target }) => void onPick(target.value as T)}>
      {all.map((option) => (
        <option key={option} value={option}>
          {titleOf(option as T)}
        </option>
      ))}
    </select>
  );
}

function DomainPick({ domain, onPick }: { readonly domain: string; readonly onPick: (domain: string) => Promise<boolean> }) {
  const canEdit = useCanEdit();
  const { data } = useTool('list_domains', canEdit ? {} : undefined);
  const names = new Map(data?.domains.map(({ id, name }) => [id, name]));
  return <Pick label="Domain" chosen={domain} options={[...names.keys()]} titleOf={(id) => names.get(id) ?? id} onPick={onPick} />;
}
