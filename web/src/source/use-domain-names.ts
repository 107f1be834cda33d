import { useTool } from './use-tool.ts';

/** What `list_domains` is asked with: a page lists all domains, however many there are. */
export const ALL_DOMAINS = { max_tokens: 1_000_000 } as const;

/** What people call a domain; its id until that is known. Asks nothing where no name is `wanted`. */
export function useDomainNames(wanted = true): (id: string) => string {
  const { data } = useTool('list_domains', wanted ? ALL_DOMAINS : undefined);
  return (id) => data?.domains.find((domain) => domain.id === id)?.name ?? id;
}
