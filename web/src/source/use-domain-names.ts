import { useTool } from './use-tool.ts';

/** What people call a domain; its id until that is known. Asks nothing where no name is `wanted`. */
export function useDomainNames(wanted = true): (id: string) => string {
  const { data } = useTool('list_domains', wanted ? {} : undefined);
  return (id) => data?.domains.find((domain) => domain.id === id)?.name ?? id;
}
