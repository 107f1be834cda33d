import { ArrowLeft, ArrowRight, CircleSlash, Trash2 } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { deleteRelations } from '../../mutations/bulk.ts';
import { endRelations } from '../../mutations/bulk.ts';
import { IconButton } from '../../components/button.tsx';
import { ago, counted, fullTime } from '../../components/format.ts';
import type { RelationRow } from '../../source/explorer-tools.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import { Section } from '../section.tsx';
import { NewRelation } from './new-relation.tsx';
import lines from '../line.module.css';
import styles from './relations.module.css';

interface Props {
  readonly name: string;
  readonly relations: readonly RelationRow[];
  /** Number of relations that were not fetched. */
  readonly omitted: number | undefined;
}

/** Relations in both directions, active ones first. */
export function Relations({ name, relations, omitted = 0 }: Props) {
  const canEdit = useCanEdit();
  const sorted = [...relations].sort((a, b) => Number(b.active) - Number(a.active) || a.id - b.id);
  return (
    <Section
      title="Relations"
      count={relations.filter(({ active }) => active).length}
      actions={canEdit && <NewRelation name={name} />}
    >
      <ul>
        {sorted.map((relation) => (
          <RelationItem key={relation.id} name={name} relation={relation} />
        ))}
      </ul>
      {omitted > 0 && <p className={lines.omitted}>and {counted(omitted, 'more relation')}</p>}
    </Section>
  );
}

function RelationItem({ name, relation }: { readonly name: string; readonly relation: RelationRow }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { hrefOf } = useRoute();
  const { from, to, relationType, context, weight, active, ended_at } = relation;
  const leads = from === name;
  const other = leads ? to : from;
  const Arrow = leads ? ArrowRight : ArrowLeft;
  return (
    <li className={`${lines.line} ${styles.relation}`} data-ended={!active || undefined}>
      <Arrow size={13} aria-label={leads ? 'to' : 'from'} />
      <div className={lines.text}>
        <span className={lines.type}>{relationType}</span>{' '}
        <a href={hrefOf({ selection: { kind: 'entity', id: other } })}>{other}</a>
        {weight !== 1 && <span className={styles.weight}>weight {weight.toLocaleString('en')}</span>}
        {context !== undefined && <p className={styles.context}>{context}</p>}
        {ended_at !== undefined && (
          <p className={styles.context} title={fullTime(ended_at)}>
            ended {ago(ended_at, Date.now())}
          </p>
        )}
      </div>
      <div className={lines.actions}>
        {canEdit && active && (
          <IconButton
            icon={CircleSlash}
            label="End relation and keep it as history"
            onPress={() => void endRelations(source, [relation])}
          />
        )}
        {canEdit && (
          <IconButton icon={Trash2} label="Delete relation" onPress={() => void deleteRelations(source, [relation])} />
        )}
      </div>
    </li>
  );
}
