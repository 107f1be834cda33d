import { useEffect } from 'react';
import { statusColors, typeColors } from '../components/type-color.ts';
import { useSource, useStore } from '../source/source-context.tsx';
import { useTool } from '../source/use-tool.ts';

/** Assigns colours to the types of the largest entities, then to the most frequent types. Renders nothing. */
export function ColorAssignment() {
  // Do not start the core only for colours.
  const isStarting = useStore(useSource().status).connection === 'starting';
  const { data } = useTool('explore_stats', isStarting ? undefined : {});
  useEffect(() => {
    if (data === undefined) return;
    typeColors.add([
      ...new Set([...data.largest.map(({ entityType }) => entityType), ...data.entity_types.map(({ name }) => name)]),
    ]);
    statusColors.add(data.statuses.map(({ name }) => name));
  }, [data]);
  return null;
}
