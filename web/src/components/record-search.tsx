import { useEffect, useRef, useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import type { Selection } from '../app/route.ts';
import { useRoute } from '../app/use-route.ts';
import type { EntityRow, MemoryRow } from '../source/explorer-tools.ts';
import type { Input as Asked } from '../source/tools.ts';
import { useTool } from '../source/use-tool.ts';
import { CategoryChip } from './category-chip.tsx';
import inputs from './input.module.css';
import styles from './record-search.module.css';
import { counted } from './format.ts';
import { memoryTitle } from './memory-title.ts';
import { rankedByName } from './name-rank.ts';
import { Problem } from './problem.tsx';
import { TypeChip } from './type-chip.tsx';
import { useDebounced } from './use-debounced.ts';

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly finds: 'entities' | 'memories' | 'both';
  readonly onChoose: (found: Selection, text: string) => void;
  readonly autoFocus?: boolean;
  /** Whether to suggest the most used records before the user types. */
  readonly suggests?: boolean;
  /** The id of a memory to exclude. */
  readonly without?: string;
}

interface Found extends Selection {
  /** Key of the list item. */
  readonly key: string;
  readonly text: string;
  readonly chip: string;
  readonly count: string;
}

const TYPING_MILLIS = 120;
const MAX_FOUND = 12;
/** Number of entities of which those are shown whose names match best. */
const MAX_RANKED = 100;
/** Maximum number of memories below entities, where both are found. */
const MAX_FOUND_BELOW = 8;
const TITLES = { entities: 'Entities', memories: 'Memories', both: 'Entities and memories' } as const;
const NONE = { entities: 'No matching entities', memories: 'No matching memories', both: 'No matches' } as const;

/** Searches entities by name or type and memories by text, without recording accesses. */
export function RecordSearch({ label, placeholder, finds, onChoose, autoFocus, suggests = true, without }: Props) {
  const { domain } = useRoute().route;
  const [text, setText] = useState('');
  const wanted = useDebounced(text.trim(), TYPING_MILLIS);
  const asks = suggests || wanted !== '';
  const asked = (kind: 'entities' | 'memories'): Asked<'explore_records'> | undefined =>
    !asks || (finds !== kind && finds !== 'both')
      ? undefined
      : {
          kind,
          text: wanted === '' ? undefined : wanted,
          sort: 'access_count',
          descending: true,
          limit: kind === 'entities' ? MAX_RANKED : finds === 'both' ? MAX_FOUND_BELOW : MAX_FOUND,
          domain: kind === 'memories' ? domain : undefined,
        };
  const entities = useTool('explore_records', asked('entities'));
  const memories = useTool('explore_records', asked('memories'));
  const entityRows = (entities.data?.rows ?? []) as EntityRow[];
  const isCut = !entities.isLoading && (entities.data?.total ?? 0) > entityRows.length;
  // The entity of the typed name may be used less than all those that are ranked.
  const named = useTool(
    'explore_records',
    !isCut || wanted === '' || entityRows.some(({ name }) => name === wanted)
      ? undefined
      : { kind: 'entities', filter: { name: wanted }, limit: 1 },
  );
  // Until the answer arrives, the row is that of an earlier text.
  const namedRows = ((named.data?.rows ?? []) as EntityRow[]).filter(({ name }) => name === wanted);
  const error = entities.error ?? named.error ?? memories.error;
  const isComplete = ![entities, named, memories].some(({ isLoading }) => isLoading);
  const isSettled = wanted === text.trim() && isComplete;
  // Until the answer to the typed text is there, the first row is one of an earlier text.
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key !== 'Enter' || isSettled) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isAnswered = asks && [entities, memories].some(({ data }) => data !== undefined);
  // The first row is focused when the list changes: rows that came before it later would not be.
  const last = useRef<readonly Found[]>(undefined);
  const answered = isAnswered
    ? [
        ...rankedByName([...namedRows, ...entityRows], wanted)
          .slice(0, MAX_FOUND)
          .map(entityFound),
        ...((memories.data?.rows ?? []) as MemoryRow[]).filter(({ id }) => id !== without).map(memoryFound),
      ]
    : undefined;
  useEffect(() => {
    if (isComplete) last.current = answered;
  });
  const found = isComplete ? answered : last.current;
  return (
    <div className={styles.search} data-settled={isSettled || undefined} onKeyDownCapture={onKeyDown}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField className={styles.field} aria-label={label} autoFocus={autoFocus}>
          <Input className={`${inputs.box} ${styles.input}`} placeholder={placeholder} />
        </SearchField>
        {error !== undefined && <Problem problem={error} />}
        {asks && (
          <ListBox
            className={styles.list}
            aria-label={TITLES[finds]}
            items={(found ?? []).map((row) => ({ ...row, id: row.key, record: row }))}
            selectionMode="none"
            onAction={(key) => {
              const row = found?.find((one) => one.key === key);
              if (row !== undefined) onChoose({ kind: row.kind, id: row.id }, row.text);
            }}
            renderEmptyState={() => (found !== undefined ? <p className={styles.none}>{NONE[finds]}</p> : null)}
          >
            {({ record: { key, kind, text: name, chip, count } }) => (
              <ListBoxItem id={key} textValue={name} className={styles.row}>
                <span className={styles.name} dir="auto">
                  {name}
                </span>
                {kind === 'memory' ? <CategoryChip category={chip} /> : <TypeChip type={chip} />}
                {finds !== 'memories' && <span className={styles.count}>{count}</span>}
              </ListBoxItem>
            )}
          </ListBox>
        )}
      </Autocomplete>
    </div>
  );
}

function entityFound({ name, entityType, relations }: EntityRow): Found {
  return {
    key: `entity:${name}`,
    kind: 'entity',
    id: name,
    text: name,
    chip: entityType,
    count: counted(relations, 'relation'),
  };
}

function memoryFound({ id, content, category, links }: MemoryRow): Found {
  return {
    key: `memory:${id}`,
    kind: 'memory',
    id,
    text: memoryTitle(content),
    chip: category,
    count: counted(links, 'link'),
  };
}
