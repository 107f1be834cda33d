import { Checkbox, CheckboxGroup, Input, Label, TextField } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import checks from '../../components/check.module.css';
import { counted } from '../../components/format.ts';
import inputs from '../../components/input.module.css';
import { LINK_TYPES } from '../../components/memory-words.ts';
import type { Output } from '../../source/tools.ts';
import styles from './filters.module.css';
import { counts, type ShownGraph } from './model.ts';
import { activeFilters, type GraphUrlState } from './graph-url-state.ts';

export interface FilterProps {
  readonly urlState: GraphUrlState;
  readonly stats: Output<'explore_stats'> | undefined;
  readonly graph: ShownGraph;
  readonly onChange: (change: Partial<GraphUrlState>) => void;
}

/** Filters by relation, link, type and time. */
export function FilterFields({ urlState, stats: data, graph, onChange }: FilterProps) {
  const types = [
    ...(urlState.shows === 'memories' ? [] : (data?.relation_types ?? [])),
    ...(urlState.shows === 'entities' ? [] : linkTypes(graph, urlState)),
  ];
  const known = [...new Map(types.map((type) => [type.name, type])).values()];
  const all = known.map(({ name }) => name);
  const hidden = urlState.hidden.length + urlState.hiddenMemories.length;
  const toggle = (isAll: boolean, chosen: string[]): void => onChange({ relationTypes: isAll ? [] : chosen });
  return (
    <>
      <CheckboxGroup
        className={styles.group}
        value={urlState.relationTypes.length === 0 ? all : [...urlState.relationTypes]}
        onChange={(chosen) => toggle(chosen.length === all.length, chosen)}
      >
        <Label className={styles.label}>
          {urlState.shows === 'entities'
            ? 'Relations'
            : urlState.shows === 'memories'
              ? 'Links'
              : 'Relations and links'}
        </Label>
        <div className={styles.choices}>
          {known.map(({ name, count }) => (
            <Checkbox key={name} value={name} className={styles.check}>
              <span className={checks.box} aria-hidden />
              <span className={styles.name} dir="auto">
                {name}
              </span>
              <span className={styles.count}>{count}</span>
            </Checkbox>
          ))}
        </div>
      </CheckboxGroup>
      <label className={styles.day} hidden={urlState.shows === 'memories'}>
        <span className={styles.label}>Entities of type</span>
        <select
          className={`${inputs.box} ${styles.input}`}
          value={urlState.entityType ?? ''}
          onChange={({ target }) => onChange({ entityType: target.value === '' ? undefined : target.value })}
        >
          <option value="">all types</option>
          {data?.entity_types.map(({ name, count }) => (
            <option key={name} value={name}>
              {name} ({count})
            </option>
          ))}
        </select>
      </label>
      <Checkbox
        className={styles.check}
        isSelected={urlState.showsEnded}
        onChange={(showsEnded) => onChange({ showsEnded })}
      >
        <span className={checks.box} aria-hidden />
        {urlState.shows === 'entities' ? 'Include ended relations' : 'Include ended'}
      </Checkbox>
      <div className={styles.times}>
        <Day label="Stored since" value={urlState.since} onChange={(since) => onChange({ since })} />
        <Day label="and before" value={urlState.until} onChange={(until) => onChange({ until })} />
      </div>
      <Button
        variant="quiet"
        isDisabled={activeFilters(urlState) === 0}
        onPress={() =>
          onChange({ relationTypes: [], entityType: undefined, showsEnded: false, since: undefined, until: undefined })
        }
      >
        Clear filter
      </Button>
      {hidden > 0 && (
        <Button variant="quiet" onPress={() => onChange({ hidden: [], hiddenMemories: [] })}>
          Show {counted(hidden, 'hidden node')} again
        </Button>
      )}
    </>
  );
}

/** Link types: the known ones, those in the graph, and the selected ones. */
function linkTypes({ edges }: ShownGraph, { relationTypes }: GraphUrlState): { name: string; count?: number }[] {
  const drawn = new Map(
    counts(edges.flatMap(({ kind, types }) => (kind === 'link' ? types : []))).map(({ word, count }) => [word, count]),
  );
  return [...new Set([...LINK_TYPES, ...drawn.keys(), ...relationTypes])].map((name) => ({
    name,
    count: drawn.get(name),
  }));
}

interface DayProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (day: string | undefined) => void;
}

function Day({ label, value, onChange }: DayProps) {
  return (
    <TextField className={styles.day} value={value ?? ''} onChange={(text) => onChange(text === '' ? undefined : text)}>
      <Label className={styles.label}>{label}</Label>
      <Input className={`${inputs.box} ${styles.input}`} type="date" />
    </TextField>
  );
}
