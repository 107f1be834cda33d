import { ListFilter, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Input, SearchField } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import inputs from '../../components/input.module.css';
import styles from './filters.module.css';
import type { RecordKind, Row, Stats } from './record-kind.ts';
import {
  chosenFilter,
  columnOf,
  filterParam,
  isFiltered,
  type ParamChange,
  type TableUrlState,
} from './table-url-state.ts';

interface Props {
  readonly kind: RecordKind<Row>;
  readonly urlState: TableUrlState;
  readonly stats: Stats | undefined;
  readonly onChange: (params: ParamChange) => void;
  readonly onClear: () => void;
}

const TYPING_MILLIS = 180;

/** The filters of a kind of record. */
export function Filters({ kind, urlState, stats, onChange, onClear }: Props) {
  const other = Object.entries(urlState.exactly).filter(
    ([column]) => !kind.filters.some(({ name }) => columnOf(name) === column),
  );
  return (
    <div className={styles.filters} role="search" aria-label={`Filter ${kind.many}`}>
      <TypedFilter
        key={kind.id}
        label={`Search words in ${kind.many}`}
        example="Contains words"
        text={urlState.text}
        onChange={(text) => onChange({ q: text })}
      />
      {kind.filters.map((filter) =>
        filter.options === undefined ? (
          <TypedFilter
            key={`${kind.id} ${filter.name}`}
            label={filter.title}
            example={filter.example ?? filter.title}
            text={chosenFilter(urlState, filter.name) ?? ''}
            onChange={(text) => onChange({ [filterParam(filter.name)]: text })}
          />
        ) : (
          <Choice
            key={`${kind.id} ${filter.name}`}
            label={filter.title}
            any="any"
            options={stats === undefined ? [] : filter.options(stats)}
            chosen={chosenFilter(urlState, filter.name)}
            onChoose={(value) => onChange({ [filterParam(filter.name)]: value })}
          />
        ),
      )}
      {other.map(([column, value]) => (
        <span key={column} className={styles.exactly}>
          {column}: {value}
        </span>
      ))}
      {(urlState.since !== undefined || urlState.until !== undefined) && (
        <span className={styles.exactly}>
          stored {urlState.since !== undefined && `from ${urlState.since} `}
          {urlState.until !== undefined && `until ${urlState.until}`}
        </span>
      )}
      {isFiltered(urlState) && (
        <Button variant="quiet" icon={X} onPress={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}

interface TypedFilterProps {
  readonly label: string;
  /** What the field shows while it is empty. */
  readonly example: string;
  readonly text: string;
  /** Gets `undefined` for an empty field. */
  readonly onChange: (text: string | undefined) => void;
}

/** A field for words or a value; its text is written to the address with a delay. */
function TypedFilter({ label, example, text, onChange }: TypedFilterProps) {
  const [typed, setTyped] = useState(text);
  const settled = useDebounced(typed, TYPING_MILLIS);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (settled === typed && settled !== text) onChange(settled === '' ? undefined : settled);
    // Only typed text is written to the address; changes of the address are handled above.
  }, [settled]);
  return (
    <SearchField
      className={`${inputs.marked} ${styles.words}`}
      aria-label={label}
      value={typed}
      onChange={setTyped}
      maxLength={2000}
    >
      <ListFilter size={14} aria-hidden />
      <Input className={`${inputs.box} ${styles.input}`} placeholder={example} />
    </SearchField>
  );
}
