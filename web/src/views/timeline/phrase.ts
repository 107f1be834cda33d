import type { Selection } from '../../app/route.ts';
import { counted } from '../../components/format.ts';
import { memoryTitle } from '../../components/memory-title.ts';
import type { MemoryEvent } from './feed.ts';

export interface Phrase {
  /** The entity or memory concerned, shown as a link. */
  readonly subject?: string;
  readonly text: string;
  /** Whether the text is no longer current. */
  readonly isPast?: boolean;
}

/** Maximum length of a memory's text in a row. */
const MAX_TITLE = 240;

/** An event in a few words. */
export function phrase({ kind, entity, text = '', count = 0 }: MemoryEvent): Phrase {
  switch (kind) {
    case 'entity_created':
      return { subject: entity, text: `stored as ${text}` };
    case 'observation_superseded':
      return { subject: entity, text, isPast: true };
    case 'relation_ended':
      return { subject: entity, text, isPast: true };
    case 'search':
      return { text: `“${text}” found ${counted(count, 'entity', 'entities')}` };
    case 'access':
      return { subject: entity, text: `found ${counted(count, 'time')} on this day` };
    case 'memory_stored':
    case 'memory_used':
    case 'memory_linked':
      return { text: memoryTitle(text, MAX_TITLE) };
    case 'memory_changed':
    case 'memory_ended':
      return { text: memoryTitle(text, MAX_TITLE), isPast: true };
    case 'memory_forgotten':
      return { text: text === '' ? 'a memory, no reason given' : `a memory: ${memoryTitle(text, MAX_TITLE)}` };
    default:
      return { subject: entity, text };
  }
}

/** The record that an event concerns, if it still exists. */
export function subjectOf({ kind, entity, memory }: MemoryEvent): Selection | undefined {
  if (memory !== undefined && kind !== 'memory_forgotten') return { kind: 'memory', id: memory };
  return entity === undefined ? undefined : { kind: 'entity', id: entity };
}

/** An event with the data of its row. */
export interface EventRow {
  readonly key: string;
  readonly event: MemoryEvent;
  /** The day, for the first event of a day. */
  readonly day: string | undefined;
}

/** Rows with unique keys: two equal events may occur in one second, and an access has the id of its entity. */
export function rowsOf(events: readonly MemoryEvent[], dayOf: (at: string) => string): EventRow[] {
  let before: string | undefined;
  return events.map((event) => {
    const shownDay = dayOf(event.at);
    const day = shownDay === before ? undefined : shownDay;
    before = shownDay;
    return { key: `${event.kind} ${event.memory ?? ''} ${event.id} ${event.at}`, event, day };
  });
}
