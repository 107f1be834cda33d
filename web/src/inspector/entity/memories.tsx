import { useRoute } from '../../app/use-route.ts';
import { CategoryChip } from '../../components/category-chip.tsx';
import { counted } from '../../components/format.ts';
import { memoryTitle } from '../../components/memory-title.ts';
import { Problem } from '../../components/problem.tsx';
import { useTool } from '../../source/use-tool.ts';
import { Section } from '../section.tsx';
import styles from './memories.module.css';

const MAX_SHOWN = 100;
/** Only the memories among the neighbours are needed, and a filter by type excludes entities only. */
const NO_TYPE = 'not an entity, mentioned by memories';

/** The memories that mention an entity, in any domain. */
export function Memories({ name, entityId }: { readonly name: string; readonly entityId: number }) {
  const { hrefOf } = useRoute();
  const { data, error, reload } = useTool('explore_graph', {
    names: [name],
    show: 'all',
    depth: 1,
    entity_type: NO_TYPE,
    include_ended: true,
    limit: MAX_SHOWN + 1,
  });
  const byId = new Map(data?.memories.map((memory) => [memory.id, memory]));
  const mentions = data?.mentions.filter(({ entity }) => entity === entityId) ?? [];
  const memories = mentions.flatMap(({ memory }) => byId.get(memory) ?? []);
  const omitted = data?.omitted.memories ?? 0;
  if (error !== undefined) {
    return (
      <Section title="Memories">
        <Problem problem={error} onRetry={reload} />
      </Section>
    );
  }
  if (memories.length === 0) return null;
  return (
    <Section title="Memories" count={memories.length + omitted}>
      <ul>
        {memories.map(({ id, content, category, status }) => (
          <li key={id} className={styles.memory} data-ended={status !== 'current' || undefined}>
            <a href={hrefOf({ selection: { kind: 'memory', id } })}>{memoryTitle(content)}</a>
            <CategoryChip category={category} />
          </li>
        ))}
      </ul>
      {omitted > 0 && <p className={styles.more}>and {counted(omitted, 'more memory', 'more memories')}</p>}
    </Section>
  );
}
