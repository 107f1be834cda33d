import { History, Plus, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { deleteObservations } from '../../mutations/bulk.ts';
import { callTool } from '../../mutations/mutations.ts';
import { IconButton } from '../../components/button.tsx';
import { EditableText } from '../../components/editable-text.tsx';
import { ago, counted, fullTime } from '../../components/format.ts';
import { NewText } from '../../components/new-text.tsx';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import { useTool } from '../../source/use-tool.ts';
import { Section } from '../section.tsx';
import { type Fact, facts, type Observation } from './history.ts';
import lines from '../line.module.css';
import styles from './observations.module.css';

interface Props {
  readonly name: string;
  readonly observations: readonly Observation[];
  /** Number of later observations, superseded ones included, that were not fetched. */
  readonly omitted: number | undefined;
  /** The label of the entity's origin. */
  readonly origin: string | undefined;
}

export function Observations({ name, observations, omitted = 0, origin }: Props) {
  const source = useSource();
  const { hrefOf } = useRoute();
  const canEdit = useCanEdit();
  const [isAdding, setAdding] = useState(false);
  const { facts: current, orphans } = facts(observations);
  const kinds =
    useTool('explore_stats', isAdding ? {} : undefined).data?.observation_kinds.map((kind) => kind.name) ?? [];
  const add = async (text: string, [kind = '']: readonly string[]): Promise<boolean> =>
    (await callTool(source, 'add_observations', {
      name,
      observations: [text],
      kind: kind === '' ? undefined : kind,
    })) !== undefined;
  const adding = canEdit && <IconButton icon={Plus} label="Add observation" onPress={() => setAdding(true)} />;
  return (
    <Section title="Observations" count={current.length} actions={adding}>
      {isAdding && (
        <NewText
          label="New observation"
          placeholder="One fact per observation"
          extras={[{ label: 'Kind', placeholder: 'generic', suggestions: kinds }]}
          onSave={add}
          onClose={() => setAdding(false)}
        />
      )}
      <ol className={styles.list}>
        {current.map((fact) => (
          <FactItem key={rootOf(fact)} fact={fact} origin={origin} />
        ))}
      </ol>
      {omitted > 0 && (
        <p className={lines.omitted}>
          and {counted(omitted, 'later observation')}
          {/* The page in a host has no table. */}
          {source.kind !== 'host' && (
            <>
              , listed in the{' '}
              <a href={hrefOf({ view: 'table', params: { kind: 'observations', 'is.entity': name } })}>table</a>
            </>
          )}
        </p>
      )}
      {orphans.length > 0 && (
        <details className={styles.orphans}>
          <summary>{counted(orphans.length, 'superseded observation')} without a successor</summary>
          <Earlier observations={orphans} />
        </details>
      )}
    </Section>
  );
}

/** Identifies an observation through its history: a text that is edited stays while another client supersedes it. */
function rootOf({ current, earlier }: Fact): number {
  return earlier.at(-1)?.id ?? current.id;
}

/** An observation, with its origin if that is not the entity's. */
function FactItem({
  fact: { current, earlier },
  origin,
}: {
  readonly fact: Fact;
  readonly origin: string | undefined;
}) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { show } = useRoute().route.params;
  const [showsEarlier, setShowsEarlier] = useState(false);
  useEffect(() => setShowsEarlier(show === 'history'), [show]);
  const { id, entity: name, kind, content, created_at, similarity_flag, vector } = current;
  const replace = async (text: string): Promise<boolean> =>
    (await callTool(source, 'add_observations', {
      name,
      observations: [text],
      kind,
      supersedes: id,
    })) !== undefined;
  return (
    <li className={`${lines.line} ${styles.fact}`}>
      <div className={styles.text}>
        <EditableText label="Observation" text={content} onSave={replace} isLong />
        <p className={lines.meta}>
          {kind !== 'generic' && <span className={styles.kind}>{kind}</span>}
          <span title={fullTime(created_at)}>{ago(created_at, Date.now())}</span>
          {current.origin !== undefined && current.origin !== origin && <span>{current.origin}</span>}
          {similarity_flag === 1 && <span className={styles.flag}>near-duplicate of another observation</span>}
          {vector === 'waiting' && <span>not embedded yet</span>}
          {vector === 'failed' && <span className={styles.flag}>embedding failed</span>}
        </p>
        {showsEarlier && <Earlier observations={earlier} />}
      </div>
      {earlier.length > 0 && (
        <IconButton
          icon={History}
          label={counted(earlier.length, 'earlier text')}
          isOn={showsEarlier}
          onPress={() => setShowsEarlier(!showsEarlier)}
        />
      )}
      <div className={lines.actions}>
        {canEdit && (
          <IconButton
            icon={Trash2}
            label="Delete observation"
            onPress={() => void deleteObservations(source, [current])}
          />
        )}
      </div>
    </li>
  );
}

function Earlier({ observations }: { readonly observations: readonly Observation[] }) {
  return (
    <ol className={styles.earlier}>
      {observations.map(({ id, content, superseded_at }) => (
        <li key={id}>
          {content}
          {superseded_at !== undefined && (
            <span title={fullTime(superseded_at)}> until {ago(superseded_at, Date.now())}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
