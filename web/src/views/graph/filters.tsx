import { SlidersHorizontal } from 'lucide-react';
import { Suspense } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { lazyComponent } from '../../app/lazy-component.tsx';
import { Button } from '../../components/button.tsx';
import popovers from '../../components/popover.module.css';
import { Segments } from '../../components/segments.tsx';
import type { FilterProps } from './filter-fields.tsx';
import styles from './filters.module.css';
import { activeFilters } from './graph-url-state.ts';

const DEPTHS = ['1', '2', '3'].map((id) => ({ id, title: id }));
const loadFields = async () => (await import('./filter-fields.tsx')).FilterFields;

/** The depth and the filter of the graph. */
export function Filters(props: FilterProps) {
  const { urlState, onChange } = props;
  const FilterFields = lazyComponent(loadFields);
  const active = activeFilters(urlState);
  return (
    <>
      {urlState.focus.length + urlState.focusMemories.length > 0 && (
        <Segments
          label="Depth"
          choices={DEPTHS}
          chosen={String(urlState.depth)}
          onChoose={(depth) => onChange({ depth: Number(depth) })}
        />
      )}
      <DialogTrigger>
        <Button variant="quiet" icon={SlidersHorizontal}>
          Filter{active > 0 ? ` (${active})` : ''}
        </Button>
        <Popover className={`${popovers.popover} ${styles.popover}`} placement="bottom start">
          <Dialog className={styles.dialog} aria-label="Graph filter">
            <Suspense>
              <FilterFields {...props} />
            </Suspense>
          </Dialog>
        </Popover>
      </DialogTrigger>
    </>
  );
}
