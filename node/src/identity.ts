/** The server's identity in the protocol. */
import type { Implementation } from '@modelcontextprotocol/server';

declare const LIMBIC_VERSION: string;

/** The explorer's icon. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4757d6"/>' +
  '<path d="M10 22 15.5 10.5 23 19z" fill="none" stroke="#fff" stroke-width="2.2"/>' +
  '<g fill="#fff"><circle cx="10" cy="22" r="3.2"/><circle cx="15.5" cy="10.5" r="3.2"/><circle cx="23" cy="19" r="3.2"/></g></svg>';

/** Sent with every result of protocol 2026-07-28. */
export const SHORT_IDENTITY: Implementation = { name: 'limbic-memory', version: LIMBIC_VERSION };

/** Sent once, by initialize or server/discover. */
export const IDENTITY: Implementation = {
  ...SHORT_IDENTITY,
  title: 'Limbic',
  description: 'Long-term memory for AI agents: typed memories, a knowledge graph and hybrid search, all local.',
  // The account and the repository that the name in the registry of servers stands for, see `mcpName` in package.json.
  websiteUrl: 'https://github.com/limbic-memory/limbic-memory',
  icons: [
    {
      src: `data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}`,
      mimeType: 'image/svg+xml',
      sizes: ['any'],
    },
  ],
};
