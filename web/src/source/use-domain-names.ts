import { useTool } from './use-tool.ts';

/** The arguments of `list_domains`: a page lists all domains. */
export const ALL_DOMAINS = { max_tokens: 1_000_000 } as const;

/** The display names of domains; the id until the name is loaded. Makes no call if no name is `wanted`. */
export function useDomainNames(wanted = true): (id: string) => string {
  const { data } = useTool('list_domains', wanted ? ALL_DOMAINS : undefined);
  return (id) => data?.domains.find((domain) => domain.id === id)?.name ?? id;
}
