import { Check, CircleSlash, FileCheck } from 'lucide-react';
import { notify } from '../../../app/toasts.tsx';
import { useRoute } from '../../../app/use-route.ts';
import { Button } from '../../../components/button.tsx';
import { CodeLinks } from '../../../components/code-links.tsx';
import { Empty } from '../../../components/empty.tsx';
import { counted } from '../../../components/format.ts';
import { MemoryChips } from '../../../components/memory-chips.tsx';
import { memoryTitle } from '../../../components/memory-title.ts';
import { Problem } from '../../../components/problem.tsx';
import { linkToPresentCode } from '../../../mutations/code-links.ts';
import { invalidateMemories } from '../../../mutations/memories.ts';
import { useCanEdit, useSource } from '../../../source/source-context.tsx';
import type { Source } from '../../../source/source.ts';
import type { Output } from '../../../source/tools.ts';
import { useTool } from '../../../source/use-tool.ts';
import cards from '../memory-card.module.css';
import upkeep from '../graph-cleanup/graph-cleanup.module.css';

type LinkedMemory = Output<'explore_code_memories'>['memories'][number];

const MAX_LISTED = 200;

/** Memories whose code changed, moved or is gone since they were linked to it. */
export function ChangedCode() {
  const { data, error, reload } = useTool('explore_code_memories', { limit: MAX_LISTED });
  const { memories = [], total = 0, links = 0, holding = 0 } = data ?? {};
  return (
    <div className={upkeep.panel} aria-busy={data === undefined && error === undefined}>
      <div className={upkeep.head}>
        <p className={upkeep.note}>
          Memories whose code changed, moved or is gone since they were linked to it. They may still be true: review the
          code.
          {links > 0 && ` The code of ${holding.toLocaleString('en')} of ${counted(links, 'link')} is unchanged.`}
          {total > memories.length && ` The first ${memories.length} of ${total.toLocaleString('en')}.`}
        </p>
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {data !== undefined && total === 0 && (
        <Empty icon={FileCheck} title={links === 0 ? 'No memory is linked to code' : 'All linked code is unchanged'}>
          <p>A memory is linked to the symbols that its text names in back-ticks, and to those it was stored with.</p>
        </Empty>
      )}
      {memories.map((memory) => (
        <ChangedCard key={memory.id} memory={memory} />
      ))}
    </div>
  );
}

function ChangedCard({ memory }: { readonly memory: LinkedMemory }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { hrefOf } = useRoute();
  const { id, content, domain, symbols } = memory;
  return (
    <article className={`${cards.frame} ${cards.card}`} aria-label={memoryTitle(content)}>
      <a className={cards.text} href={hrefOf({ selection: { kind: 'memory', id } })}>
        {content}
      </a>
      <CodeLinks links={symbols} />
      <MemoryChips memory={memory} domain={domain} />
      {canEdit && (
        <div className={cards.actions}>
          <Button variant="primary" icon={Check} onPress={() => void confirm(source, memory)}>
            Still true
          </Button>
          <Button
            variant="danger"
            icon={CircleSlash}
            onPress={() => void invalidateMemories(source, [id], { reason: 'The code changed' })}
          >
            Invalidate
          </Button>
        </div>
      )}
    </article>
  );
}

async function confirm(source: Source, { id, content, symbols }: LinkedMemory): Promise<void> {
  if (!(await linkToPresentCode(source, id, symbols))) return;
  notify({ text: 'Linked to the present code', detail: memoryTitle(content) });
}
