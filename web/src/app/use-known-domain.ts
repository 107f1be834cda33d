import { useEffect } from 'react';
import { useSource } from '../source/source-context.tsx';
import type { Output } from '../source/tools.ts';
import { ALL_DOMAINS } from '../source/use-domain-names.ts';
import { notify } from './toasts.tsx';
import { useRoute } from './use-route.ts';

type Domains = Output<'list_domains'>;

/** Selects all domains if the address names an unknown one, and notifies the user. */
export function useKnownDomain(listed: Domains | undefined): void {
  const source = useSource();
  const { route, adjust } = useRoute();
  const { domain } = route;
  const isUnknown = domain !== undefined && listed !== undefined && isMissing(domain, listed);
  useEffect(() => {
    if (!isUnknown) return;
    let isCurrent = true;
    // The list may be older than a new domain.
    void source.call('list_domains', ALL_DOMAINS).then((answer) => {
      if (!isCurrent || !answer.ok || !isMissing(domain, answer.value)) return;
      adjust({ domain: null });
      notify({ text: `Unknown domain “${domain}”`, detail: 'Showing the memories of all domains.' });
    });
    return () => {
      isCurrent = false;
    };
  }, [source, isUnknown, domain, adjust]);
}

/** In an empty memory nothing is missing: an import may be running. */
function isMissing(id: string, { domains }: Domains): boolean {
  return domains.some(({ memories }) => memories > 0) && !domains.some((domain) => domain.id === id);
}
