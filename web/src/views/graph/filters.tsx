import { SlidersHorizontal } from 'lucide-react';
import { Checkbox, CheckboxGroup, Dialog, DialogTrigger, Input, Label, Popover, TextField } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useTool } from '../../source/use-tool.ts';
import checks from '../../parts/check.module.css';
import inputs from '../../parts/input.module.css';
import popovers from '../../parts/popover.module.css';
import styles from './filters.module.css';
import type { Wish } from './wish.ts';

interface Props {
  readonly wish: Wish;
  readonly onChange: (change: Partial<Wish>) => void;
}

const DEPTHS = ['1', '2', '3'].map((id) => ({ id, title: id }));

/** Depth, relations, types and times of what is drawn. */
export function Filters({ wish, onChange }: Props) {
  const { data } = useTool('explore_stats', {});
  const set = [wish.relationTypes.length > 0, wish.entityType !== undefined, wish.showsEnded, wish.since !== undefined, wish.until !== undefined];
  const active = set.filter(Boolean).length;
  const toggle = (isAll: boolean, chosen: string[]): void => onChange({ relationTypes: isAll ? [] : chosen });
  const all = data?.relation_types.map(({ name }) => name) ?? [];
  return (
    <>
      {wish.focus.length > 0 && <Segments label="Steps from the focus" choices={DEPTHS} chosen={String(wish.depth)} onChoose={(depth) => onChange({ depth: Number(depth) })} />}
      <DialogTrigger>
        <Button look="quiet" icon={SlidersHorizontal}>
          Filter{active > 0 ? ` (${active})` : ''}
        </Button>
        <Popover className={`${popovers.popover} ${styles.popover}`} placement="bottom start">
          <Dialog className={styles.dialog} aria-label="Filter of the graph">
            <CheckboxGroup className={styles.group} value={wish.relationTypes.length === 0 ? all : [...wish.relationTypes]} onChange={(chosen) => toggle(chosen.length === all.length, chosen)}>
              <Label className={styles.label}>Relations</Label>
              <div className={styles.choices}>
                {data?.relation_types.map(({ name, count }) => (
                  <Checkbox key={name} value={name} className={styles.check}>
                    <span className={checks.box} aria-hidden />
                    <span className={styles.name}>{name}</span>
                    <span className={styles.count}>{count}</span>
                  </Checkbox>
                ))}
              </div>
            </CheckboxGroup>
            <label className={styles.day}>
              <span className={styles.label}>Entities of type</span>
              <select className={`${inputs.box} ${styles.input}`} value={wish.entityType ?? ''} onChange={({ target }) => onChange({ entityType: target.value === '' ? undefined : target.value })}>
                <option value="">all types</option>
                {data?.entity_types.map(({ name, count }) => (
                  <option key={name} value={name}>
                    {name} ({count})
                  </option>
                ))}
              </select>
            </label>
            <Checkbox className={styles.check} isSelected={wish.showsEnded} onChange={(showsEnded) => onChange({ showsEnded })}>
              <span className={checks.box} aria-hidden />
              Relations that have ended, too
            </Checkbox>
            <div className={styles.times}>
              <Day label="Stored since" value={wish.since} onChange={(since) => onChange({ since })} />
              <Day label="and before" value={wish.until} onChange={(until) => onChange({ until })} />
            </div>
            <Button look="quiet" isDisabled={active === 0} onPress={() => onChange({ relationTypes: [], entityType: undefined, showsEnded: false, since: undefined, until: undefined })}>
              Clear the filter
            </Button>
          </Dialog>
        </Popover>
      </DialogTrigger>
    </>
  );
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
