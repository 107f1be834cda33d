import { Network, Trash2 } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { deleteEntities } from '../../mutations/bulk.ts';
import { callTool } from '../../mutations/mutations.ts';
import { IconButton } from '../../components/button.tsx';
import { EditableText } from '../../components/editable-text.tsx';
import { meaningOf } from '../../components/format-values.ts';
import { ago, counted, fullTime } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { paramsAround } from '../../views/graph/graph-url-state.ts';
import { originText } from '../origin-text.ts';
import styles from './entity-inspector.module.css';
import { Memories } from './memories.tsx';
import { Observations } from './observations.tsx';
import { Reflections } from './reflections.tsx';
import { Relations } from './relations.tsx';
import { AccessSection } from './accesses.tsx';

/** The inspector of an entity. */
export function EntityInspector({ id: name }: { readonly id: string }) {
  const { data, error, reload } = useTool('explore_entity', { name });
  const problem = error !== undefined && <Problem problem={error} onRetry={reload} />;
  if (problem !== false && (data === undefined || error?.code === 'entity_not_found')) return problem;
  if (data === undefined || data.entity.name !== name) return <div className={styles.loading} aria-busy="true" />;
  return (
    <div className={styles.entity}>
      {problem}
      <Head data={data} />
      <Observations
        name={name}
        observations={data.observations}
        omitted={data.omitted?.observations}
        origin={data.written_by?.label}
      />
      <Relations name={name} relations={data.relations} omitted={data.omitted?.relations} />
      <Memories name={name} entityId={data.entity.id} />
      <Reflections entityId={data.entity.id} reflections={data.reflections} omitted={data.omitted?.reflections} />
      <AccessSection data={data} />
    </div>
  );
}

function Head({ data: { entity, vector, written_by: origin } }: { readonly data: Output<'explore_entity'> }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { route, go } = useRoute();
  const { name, entityType, status } = entity;
  // Only what was changed: another client may have changed the rest meanwhile.
  const change = async (part: { entityType?: string; status?: string }): Promise<boolean> =>
    (await callTool(source, 'create_entities', { entities: [{ name, ...part }] })) !== undefined;
  const remove = async (): Promise<void> => {
    if (await deleteEntities(source, [name])) go({ selection: null });
  };
  const now = Date.now();
  return (
    <header className={styles.head}>
      <div className={styles.title}>
        <h2>{name}</h2>
        <IconButton
          icon={Network}
          label="Show in graph"
          onPress={() => go({ view: 'graph', params: paramsAround(route, { kind: 'entity', id: name }) })}
        />
        {canEdit && <IconButton icon={Trash2} label="Delete entity" onPress={() => void remove()} />}
      </div>
      <dl className={styles.facts}>
        <dt>Type</dt>
        <dd>
          <EditableText label="Type" text={entityType} onSave={(text) => change({ entityType: text })} />
          {meaningOf(entityType)}
        </dd>
        <dt>Status</dt>
        <dd>
          <EditableText label="Status" text={status} onSave={(text) => change({ status: text })} />
          {meaningOf(status)}
        </dd>
        {origin !== undefined && (
          <>
            <dt>Origin</dt>
            <dd>{originText(origin)}</dd>
          </>
        )}
        <dt>Created</dt>
        <dd title={fullTime(entity.created_at)}>
          {ago(entity.created_at, now)}
          {entity.updated_at !== entity.created_at && (
            <span title={fullTime(entity.updated_at)}>, updated {ago(entity.updated_at, now)}</span>
          )}
        </dd>
        <dt>Accesses</dt>
        <dd>
          {counted(entity.access_count, 'time')}
          {entity.last_access !== undefined && (
            <span title={fullTime(entity.last_access)}>, last {ago(entity.last_access, now)}</span>
          )}
        </dd>
        {canEdit && (
          <>
            <dt>Vector</dt>
            <dd>{vector}</dd>
          </>
        )}
      </dl>
    </header>
  );
}
