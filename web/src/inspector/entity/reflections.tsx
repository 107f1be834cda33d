import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { callTool } from '../../mutations/mutations.ts';
import { IconButton } from '../../components/button.tsx';
import { ago, counted, fullTime } from '../../components/format.ts';
import { NewText } from '../../components/new-text.tsx';
import type { ReflectionRow } from '../../source/explorer-tools.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import { useTool } from '../../source/use-tool.ts';
import { Section } from '../section.tsx';
import lines from '../line.module.css';
import styles from './reflections.module.css';

interface Props {
  readonly entityId: number;
  readonly reflections: readonly ReflectionRow[];
  /** Number of reflections that were not fetched. */
  readonly omitted: number | undefined;
}

export function Reflections({ entityId, reflections, omitted = 0 }: Props) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { show } = useRoute().route.params;
  const [isAdding, setAdding] = useState(false);
  const authors = useTool('explore_stats', isAdding ? {} : undefined).data?.authors.map(({ name }) => name) ?? [];
  const moods = [...new Set(reflections.map(({ mood }) => mood).filter((mood) => mood !== undefined))];
  const extras = [
    { label: 'Author', placeholder: 'author of the reflection', suggestions: authors },
    { label: 'Mood', placeholder: 'none', suggestions: moods },
  ];
  const add = async (content: string, [author = '', mood = '']: readonly string[]): Promise<boolean> =>
    (await callTool(source, 'add_reflection', {
      target_type: 'entity',
      target_id: entityId,
      content,
      author: given(author),
      mood: given(mood),
    })) !== undefined;
  const adding = canEdit && <IconButton icon={Plus} label="Add reflection" onPress={() => setAdding(true)} />;
  return (
    <Section title="Reflections" count={reflections.length + omitted} actions={adding} isAsked={show === 'reflections'}>
      {isAdding && (
        <NewText
          label="New reflection"
          placeholder="Text of the reflection"
          extras={extras}
          onSave={add}
          onClose={() => setAdding(false)}
        />
      )}
      <ul>
        {reflections.map(({ id, author, mood, content, created_at, target_type, target }) => (
          <li key={id} className={styles.reflection}>
            <p>{content}</p>
            <p className={lines.meta}>
              {author}
              {mood !== undefined && `, ${mood}`}
              <span title={fullTime(created_at)}>{ago(created_at, Date.now())}</span>
              {target_type === 'relation' && target !== undefined && <span>on {target}</span>}
            </p>
          </li>
        ))}
      </ul>
      {omitted > 0 && <p className={lines.omitted}>and {counted(omitted, 'more reflection')}</p>}
    </Section>
  );
}

function given(word: string): string | undefined {
  return word === '' ? undefined : word;
}
