import { CircleSlash } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { updateMemory } from '../../mutations/memories.ts';
import { EditableText } from '../../components/editable-text.tsx';
import { day, fullTime } from '../../components/format.ts';
import type { LinkRow } from '../../source/explorer-tools.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import { Section } from '../section.tsx';
import type { Memory } from './head.tsx';
import { Invalidate } from './invalidate.tsx';
import styles from './memory-inspector.module.css';

const STATUSES: Readonly<Record<string, string>> = {
  current: 'Valid',
  ended: 'No longer valid',
  expired: 'Expired',
  contradicted: 'Contradicted by a memory that was stated later',
};

/** The validity of a memory and its replacement. */
export function Validity({ memory, links }: { readonly memory: Memory; readonly links: readonly LinkRow[] }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { hrefOf } = useRoute();
  const { id, status, event_time, valid_from, valid_until, expires_at, invalidation_reason, superseded_by } = memory;
  return (
    <Section title="Validity" actions={canEdit && status !== 'ended' && <Invalidate id={id} />}>
      <dl className={`${styles.facts} ${styles.inSection}`}>
        <dt>Status</dt>
        <dd>
          {status !== 'current' && <CircleSlash size={13} aria-hidden className={styles.mark} />}
          {STATUSES[status] ?? status}
        </dd>
        <TimeField name="Event time" at={event_time} />
        <dt>Valid from</dt>
        <dd title={valid_from === undefined ? undefined : fullTime(valid_from)}>
          <EditableText
            label="Valid from"
            text={valid_from ?? ''}
            placeholder="its creation"
            onSave={(moment) => updateMemory(source, id, { valid_from: moment })}
          />
        </dd>
        <TimeField name="Valid until" at={valid_until} />
        {invalidation_reason !== undefined && (
          <>
            <dt>Reason</dt>
            <dd className={styles.word}>{invalidation_reason}</dd>
          </>
        )}
        {superseded_by !== undefined && (
          <>
            <dt>Replaced by</dt>
            <dd className={styles.word}>
              <a href={hrefOf({ selection: { kind: 'memory', id: superseded_by } })}>
                {links.find(({ from_id }) => from_id === superseded_by)?.from ?? superseded_by}
              </a>
            </dd>
          </>
        )}
        <dt>Expires</dt>
        <dd title={expires_at === undefined ? undefined : fullTime(expires_at)}>
          <EditableText
            label="Expires"
            text={expires_at ?? ''}
            placeholder="never"
            onSave={(moment) => updateMemory(source, id, { expires_at: moment })}
          />
        </dd>
      </dl>
    </Section>
  );
}

function TimeField({ name, at }: { readonly name: string; readonly at: string | undefined }) {
  if (at === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd title={fullTime(at)}>{day(at)}</dd>
    </>
  );
}
