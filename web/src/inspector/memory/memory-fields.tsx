import { updateMemory } from '../../mutations/memories.ts';
import { confirmMove } from '../../mutations/memory-dialogs.ts';
import { Button } from '../../components/button.tsx';
import { EditableText } from '../../components/editable-text.tsx';
import { ago, fullTime } from '../../components/format.ts';
import { CATEGORIES, MEMORY_TYPES, TIERS } from '../../components/memory-words.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import type { Input, Output } from '../../source/tools.ts';
import { useDomainNames } from '../../source/use-domain-names.ts';
import { originText } from '../origin-text.ts';
import type { Memory } from './head.tsx';
import styles from './memory-inspector.module.css';
import { saveNumber, shortNumber } from './number.ts';
import { EnumSelect } from './enum-select.tsx';
import { tagsOf } from './tags.ts';

type Change = Omit<Input<'memory_update'>, 'id'>;

/** The fields of a memory. */
export function MemoryFields({ data: { memory, vector } }: { readonly data: Output<'explore_memory'> }) {
  const source = useSource();
  const { id, tags, created_at, updated_at } = memory;
  const change = (part: Change): Promise<boolean> => updateMemory(source, id, part);
  const now = Date.now();
  return (
    <dl className={styles.facts}>
      <dt>Category</dt>
      <dd>
        <EnumSelect
          label="Category"
          chosen={memory.category}
          options={CATEGORIES}
          onPick={(category) => change({ category })}
        />
      </dd>
      <dt>Type</dt>
      <dd>
        <EnumSelect
          label="Type"
          chosen={memory.memory_type}
          options={MEMORY_TYPES}
          onPick={(memory_type) => change({ memory_type })}
        />
      </dd>
      <dt>Subject</dt>
      <dd>
        <EditableText
          label="Subject"
          text={memory.subject}
          placeholder="none"
          onSave={(subject) => change({ subject })}
          isEscaped
        />
      </dd>
      <dt>Tags</dt>
      <dd>
        <EditableText
          label="Tags, separated by commas"
          text={tags.join(', ')}
          placeholder="none"
          onSave={(text) => change({ tags: tagsOf(text) })}
          isEscaped
        />
      </dd>
      <dt>Domain</dt>
      <dd>
        <Domain memory={memory} />
      </dd>
      <dt>Tier</dt>
      <dd>
        <EnumSelect label="Tier" chosen={memory.tier} options={TIERS} onPick={(tier) => change({ tier })} />
        <span className={styles.aside}>{memory.heat}</span>
      </dd>
      <dt>Importance</dt>
      <dd>
        <EditableText
          label="Importance, 0 to 10"
          text={shortNumber(memory.importance)}
          onSave={(text) => saveNumber(text, 'from 0 to 10, such as 2.5', (importance) => change({ importance }))}
        />
      </dd>
      <dt>Source</dt>
      <dd>
        <EditableText
          label="Source"
          text={memory.source ?? ''}
          placeholder="unknown"
          onSave={(origin) => change({ source: origin })}
          isEscaped
        />
      </dd>
      {memory.path !== undefined && (
        <>
          <dt>Path</dt>
          <dd>
            <EditableText label="Path" text={memory.path} onSave={(path) => change({ path })} isEscaped />
          </dd>
        </>
      )}
      {memory.summary !== undefined && (
        <>
          <dt>Summary</dt>
          <dd>
            <EditableText
              label="Summary"
              text={memory.summary}
              placeholder="none"
              onSave={(summary) => change({ summary })}
              isLong
              isEscaped
            />
          </dd>
        </>
      )}
      {memory.user_id !== undefined && (
        <>
          <dt>User</dt>
          <dd className={styles.word}>{memory.user_id}</dd>
        </>
      )}
      {memory.written_by !== undefined && (
        <>
          <dt>Origin</dt>
          <dd className={styles.word}>
            {originText(memory.written_by)}
            {memory.unconfirmed === true && ', waits in the inbox'}
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd title={fullTime(created_at)}>
        {ago(created_at, now)}
        {updated_at !== undefined && updated_at !== created_at && (
          <span title={fullTime(updated_at)}>, updated {ago(updated_at, now)}</span>
        )}
      </dd>
      <dt>Vector</dt>
      <dd>{vector}</dd>
    </dl>
  );
}

/** The domain of a memory and the action to move it, which asks first, since links lose their strength. */
function Domain({ memory }: { readonly memory: Memory }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const nameOf = useDomainNames();
  return (
    <>
      <span className={styles.word}>{nameOf(memory.domain)}</span>
      {canEdit && (
        <Button variant="quiet" aria-label="Move to another domain" onPress={() => void confirmMove(source, [memory])}>
          Move…
        </Button>
      )}
    </>
  );
}
