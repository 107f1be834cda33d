// The memories of the sample as tool calls. Earlier texts are stored first and changed then; what has ended is ended at
// the last. When something expires is left out, since the tools take a moment to come only.

import { linksOf } from './memory-links.mjs';
import { moment } from './memories.mjs';

/** Every memory begins with this domain. */
const FIRST_DOMAIN = 'general';

/** All calls, `{tool, arguments}` each. */
export function memoryCalls({ domains, memories }) {
  const links = linksOf(memories);
  return [
    ...domains
      .filter(({ id }) => id !== FIRST_DOMAIN)
      .map(({ id, name, description }) => call('create_domain', { id, name, description })),
    ...domains.map(({ id }) =>
      call('memory_store', { memories: memories.filter(({ domain }) => domain === id).map(newMemory) }),
    ),
    ...memories.flatMap(({ id, texts }) =>
      texts.slice(1).map(({ content, confidence }) => call('memory_update', { id, content, confidence })),
    ),
    ...links.map(linkCall),
    ...memories.flatMap(({ id, end }) =>
      end === undefined ? [] : [call('memory_invalidate', { id, reason: end.reason })],
    ),
  ];
}

function call(tool, args) {
  return { tool, arguments: args };
}

function newMemory({
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
  tier,
  user,
  source,
  holdsFrom,
  entities,
}) {
  const [{ content, confidence }] = texts;
  return {
    id,
    domain,
    content,
    category,
    subject,
    path,
    tags,
    memory_type: memoryType,
    importance,
    confidence,
    pinned: isPinned,
    ...(tier !== 'l4' && { tier }),
    ...(holdsFrom && { valid_from: moment(holdsFrom) }),
    ...(user && { user_id: user }),
    ...(source && { source }),
    entities,
  };
}

function linkCall({ from, type, to, strength, purpose, isBothWays }) {
  const args = { from_id: from.id, to_id: to.id, type };
  return call('memory_link', {
    ...args,
    ...(strength && { strength }),
    ...(purpose && { description: purpose }),
    ...(isBothWays && { bidirectional: true }),
  });
}
