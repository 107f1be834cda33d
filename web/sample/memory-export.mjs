// The memories of the sample as records of a Limbic export, in the order that a reader needs. What a reader takes for
// granted is left out.

import { finalState } from './access-effects.mjs';
import { moment } from './memories.mjs';
import { endsOf, linksOf } from './memory-links.mjs';
import { compare } from './read.mjs';
import { sessionAt, YEAR } from './time.mjs';

/** The domain that the sample's people worked in last. */
export const CURRENT_DOMAIN = 'code';

/** All records of domains and memories. */
export function memoryRecords({ domains, memories }) {
  const ends = endsOf(memories);
  const links = linksOf(memories);
  const of = (list) => memories.flatMap(list);
  return [
    ...domains.map((domain) => domainRecord(domain, memories)),
    ...memories.map((memory) => memoryRecord(memory, ends.get(memory.id))),
    ...links.filter((link) => !link.isReference).map(edgeRecord),
    ...links.filter((link) => link.isReference).map(referenceRecord),
    ...of(({ id, entities }) => entities.map((entity) => ({ record: 'memory_mention', memory: id, entity }))),
    ...of(historyRecords),
    ...of(sessionRecords).sort((a, b) => compare(a.last, b.last)),
    ...currentDomain(memories),
  ];
}

function domainRecord({ id, name, description, day }, memories) {
  const times = memories
    .filter((memory) => memory.domain === id)
    .flatMap(({ texts }) => texts.map((text) => text.createdAt));
  return { record: 'domain', id, name, description, created: sessionAt(day), last_access: times.sort(compare).at(-1) };
}

function memoryRecord(memory, end) {
  const {
    id,
    domain,
    texts,
    category,
    subject,
    path,
    tags,
    memoryType,
    importance,
    isPinned,
    user,
    source,
    expires,
    holdsFrom,
  } = memory;
  const { confidence, tier, heat, count, last, promotions } = finalState(memory);
  const changed =
    end !== undefined && end.successor === undefined ? end.at : texts.length > 1 ? texts.at(-1)?.createdAt : undefined;
  return {
    record: 'memory',
    id,
    domain,
    content: texts.at(-1)?.content,
    ...(category !== 'fact' && { category }),
    subject,
    path,
    ...(tags.length > 0 && { tags }),
    ...(memoryType !== 'semantic' && { memory_type: memoryType }),
    ...(importance !== 1 && { importance }),
    ...(confidence !== 1 && { confidence }),
    ...(isPinned && { pinned: true }),
    ...(tier !== 'l4' && { tier }),
    ...(heat !== 'cold' && { heat }),
    ...(count > 0 && { access_count: count }),
    ...(last && { last_accessed: last }),
    ...(promotions > 0 && { promotion_count: promotions }),
    created_at: texts[0]?.createdAt,
    ...(changed && { updated_at: changed }),
    ...(holdsFrom && { valid_from: moment(holdsFrom) }),
    ...(end && { valid_until: end.at }),
    ...(end?.reason && { invalidation_reason: end.reason }),
    ...(end?.successor && { superseded_by: end.successor }),
    ...(expires && { expires_at: moment(expires) }),
    ...(user && { user_id: user }),
    ...(source && { source }),
  };
}

function edgeRecord({ from, type, to, strength, at }) {
  return { record: 'memory_edge', from: from.id, link_type: type, to: to.id, ...(strength && { strength }), at };
}

function referenceRecord({ from, type, to, purpose, isBothWays }) {
  const ends = { from: from.id, domain: from.domain, to: to.id, target_domain: to.domain };
  return {
    record: 'memory_reference',
    ...ends,
    description: purpose ?? type,
    ...(isBothWays && { bidirectional: true }),
  };
}

function historyRecords({ id, texts }) {
  return texts.slice(0, -1).map(({ content, confidence }, index) => ({
    record: 'memory_history',
    memory: id,
    content,
    ...(confidence !== 1 && { confidence }),
    replaced_at: texts[index + 1].createdAt,
  }));
}

/** A session is identified by its day. */
function sessionRecords({ id, uses }) {
  return uses.map(({ day }) => ({
    record: 'memory_session',
    memory: id,
    session: `${YEAR}-${day}`,
    last: sessionAt(day),
  }));
}

function currentDomain(memories) {
  const last = memories.filter(({ domain }) => domain === CURRENT_DOMAIN).at(-1);
  return last === undefined
    ? []
    : [
        {
          record: 'current_domain',
          domain: CURRENT_DOMAIN,
          last_access: last.texts[0].createdAt,
          last_memory: last.id,
        },
      ];
}
