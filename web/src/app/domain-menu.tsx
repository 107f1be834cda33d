import { Check, Layers, Plus, Trash2 } from 'lucide-react';
import { Suspense, use, useState } from 'react';
import {
  Button,
  Header,
  type Key,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Text,
} from 'react-aria-components';
import popovers from '../components/popover.module.css';
import { SourceContext, useCanEdit, useSource, useStore } from '../source/source-context.tsx';
import { ALL_DOMAINS } from '../source/use-domain-names.ts';
import { useTool } from '../source/use-tool.ts';
import styles from './domain-menu.module.css';
import { OverlayBoundary } from './error-boundary.tsx';
import { lazyComponent } from './lazy-component.tsx';
import { loadOrNotify } from './load-or-notify.ts';
import { useKnownDomain } from './use-known-domain.ts';
import { useRoute } from './use-route.ts';

interface Props {
  readonly className: string | undefined;
  readonly labelClassName: string | undefined;
}

/** The classes of a menu's item. */
const ITEM = `${popovers.entry} ${popovers.item}`;

const loadNewDomain = async () => (await import('./new-domain.tsx')).NewDomain;

/** Selects the domain whose memories the views show, or all domains. */
export function DomainMenu(props: Props) {
  const source = use(SourceContext);
  return source === undefined ? null : <Switch {...props} />;
}

function Switch({ className, labelClassName }: Props) {
  const { route, go } = useRoute();
  const canEdit = useCanEdit();
  const [isMaking, setMaking] = useState(false);
  // Do not start the core only for this menu.
  const source = useSource();
  const isStarting = useStore(source.status).connection === 'starting';
  const { data } = useTool('list_domains', isStarting ? undefined : ALL_DOMAINS);
  useKnownDomain(data);
  const domains = data?.domains ?? [];
  const total = domains.reduce((sum, { memories }) => sum + memories, 0);
  const { domain: chosen } = route;
  if (domains.length < 2 && total === 0 && chosen === undefined) return null;
  const shown = domains.find(({ id }) => id === chosen);
  const title = chosen === undefined ? 'All domains' : (shown?.name ?? chosen);
  // The current domain of the session cannot be deleted.
  const deleted = shown?.id === data?.current ? undefined : shown;
  const remove = async (): Promise<void> => {
    const part = await loadOrNotify(() => import('../mutations/domains.ts'));
    if (part === undefined || deleted === undefined) return;
    if (await part.confirmDeleteDomain(source, deleted, domains)) go({ domain: null });
  };
  const act = (key: Key): void => {
    if (key === MAKE) setMaking(true);
    else if (key === DELETE) void remove();
    else go({ domain: key === ALL ? null : String(key).slice(1) });
  };
  const NewDomain = lazyComponent(loadNewDomain);
  return (
    <>
      <MenuTrigger>
        <Button
          className={`${className} ${styles.button}`}
          aria-label={`Domain: ${title}`}
          data-chosen={chosen !== undefined || undefined}
        >
          <Layers size={15} aria-hidden />
          <span className={`${labelClassName} ${styles.title}`} dir="auto">
            {title}
          </span>
        </Button>
        <Popover className={`${popovers.popover} ${styles.popover}`} placement="top start">
          <Menu className={popovers.menu} onAction={act}>
            <MenuSection
              selectionMode="single"
              disallowEmptySelection
              selectedKeys={[chosen === undefined ? ALL : keyOf(chosen)]}
            >
              <Header className={styles.header}>Show memories of</Header>
              <Item id={ALL} name="All domains" count={total} />
              {domains.map(({ id, name, memories }) => (
                <Item key={id} id={keyOf(id)} name={name} count={memories} />
              ))}
            </MenuSection>
            {canEdit && (
              <MenuSection aria-label="More">
                <MenuItem id={MAKE} textValue="New domain" className={`${ITEM} ${styles.make}`}>
                  <Plus size={14} aria-hidden />
                  <Text slot="label">New domain…</Text>
                </MenuItem>
                {deleted !== undefined && (
                  <MenuItem id={DELETE} textValue={`Delete ${deleted.name}`} className={ITEM}>
                    <Trash2 size={14} aria-hidden />
                    <Text slot="label" className={styles.name}>
                      Delete “{deleted.name}”…
                    </Text>
                  </MenuItem>
                )}
              </MenuSection>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      {/* Another boundary for each try, which reports its failure anew. */}
      <OverlayBoundary key={String(isMaking)} onFailed={() => setMaking(false)}>
        <Suspense>
          {isMaking && <NewDomain onClose={() => setMaking(false)} onMade={(id) => go({ domain: id })} />}
        </Suspense>
      </OverlayBoundary>
    </>
  );
}

const ALL = 'all';
const MAKE = 'make';
const DELETE = 'delete';

/** An id may be any text; the prefix distinguishes it from the other keys. */
function keyOf(id: string): string {
  return `=${id}`;
}

function Item({ id, name, count }: { readonly id: string; readonly name: string; readonly count: number }) {
  return (
    <MenuItem id={id} textValue={name} className={ITEM}>
      {({ isSelected }) => (
        <>
          <span className={styles.mark}>{isSelected && <Check size={14} aria-hidden />}</span>
          <Text slot="label" className={styles.name}>
            {name}
          </Text>
          <span className={styles.count}>
            {count.toLocaleString('en')}
            <span className="visually-hidden"> memories</span>
          </span>
        </>
      )}
    </MenuItem>
  );
}
