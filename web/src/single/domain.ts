import type { Memory } from './memory.ts';
import { refusal } from './refusal.ts';

/** Refuses a domain that is not there. */
export function checkDomain({ memories: { domains } }: Memory, domain: string | undefined): void {
  if (domain === undefined || domains.domains.some(({ id }) => id === domain)) return;
  throw refusal('not_found', `There is no domain of this id in this page: ${domain}`);
}
