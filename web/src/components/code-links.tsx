import { useRoute } from '../app/use-route.ts';
import { useSource } from '../source/source-context.tsx';
import type { Output } from '../source/tools.ts';
import styles from './code-links.module.css';

/** A symbol of code that a memory is about. */
export type CodeLink = Output<'explore_memory'>['symbols'][number];

const STATES: Readonly<Record<string, { readonly title: string; readonly hint: string }>> = {
  holds: { title: 'Unchanged', hint: 'The code is the same as when the memory was linked' },
  changed: {
    title: 'Changed',
    hint: 'The code changed since the memory was linked: check whether the memory still holds',
  },
  moved: { title: 'Moved', hint: 'The same code is now in another place' },
  gone: { title: 'Gone', hint: 'The code is no longer in the project' },
  unknown: {
    title: 'Unknown',
    hint: 'The project is not indexed, or the file could not be read or parsed as it is now',
  },
};

/** The symbols that a memory is about, and whether their code has changed. */
export function CodeLinks({ links }: { readonly links: readonly CodeLink[] }) {
  const { hrefOf } = useRoute();
  // The page in a host has no inspector of symbols.
  const showsSymbols = useSource().kind !== 'host';
  return (
    <ul className={styles.list}>
      {links.map(({ symbol_id: id, state, now }) => {
        const { title, hint } = STATES[state ?? ''] ?? { title: state, hint: '' };
        const present = now ?? id;
        return (
          <li key={id}>
            {state !== undefined && (
              <span className={styles.state} data-state={state} title={hint}>
                {title}
              </span>
            )}
            {state === undefined || state === 'gone' || state === 'unknown' || !showsSymbols ? (
              <code>{id}</code>
            ) : (
              <a
                href={hrefOf({ selection: { kind: 'symbol', id: present } })}
                title={now === undefined ? id : `was ${id}`}
              >
                <code>{present}</code>
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
