import { Monitor, Moon, Sun, TextSearch } from 'lucide-react';
import { Button } from 'react-aria-components';
import { MemoryMenu } from '../files/memory-menu.tsx';
import { useStore } from '../source/source-context.tsx';
import { useOffers } from '../source/use-offers.ts';
import { VIEWS, type ViewEntry } from '../registry.ts';
import { DomainMenu } from './domain-menu.tsx';
import { commandPaletteOpen } from './command-palette.tsx';
import styles from './navigation.module.css';
import { type Theme, theme } from './theme.ts';
import { useRoute } from './use-route.ts';

const THEMES: Readonly<Record<Theme, { readonly icon: typeof Sun; readonly label: string; readonly next: Theme }>> = {
  system: { icon: Monitor, label: 'System theme', next: 'light' },
  light: { icon: Sun, label: 'Light theme', next: 'dark' },
  dark: { icon: Moon, label: 'Dark theme', next: 'system' },
};

export function Navigation() {
  const { route, hrefOf } = useRoute();
  const chosen = useStore(theme);
  const { icon: ThemeIcon, label, next } = THEMES[chosen];
  return (
    <nav className={styles.nav} aria-label="Views">
      <div className={styles.brand}>
        <img src={document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href} alt="" width={20} height={20} />
        <span>Limbic</span>
      </div>
      <Button className={styles.find} onPress={() => commandPaletteOpen.set(true)} aria-label="Find… Ctrl K">
        <TextSearch size={15} aria-hidden />
        <span className={styles.label}>Find…</span>
        <kbd>Ctrl K</kbd>
      </Button>
      <ul className={styles.views}>
        {VIEWS.map((view) => (
          <ViewLink key={view.id} view={view} href={hrefOf({ view: view.id })} isCurrent={route.view === view.id} />
        ))}
      </ul>
      <DomainMenu className={styles.theme} labelClassName={styles.label} />
      <MemoryMenu className={styles.theme} labelClassName={styles.label} />
      <Button className={styles.theme} onPress={() => theme.set(next)} aria-label={label}>
        <ThemeIcon size={15} aria-hidden />
        <span className={styles.label}>{label}</span>
      </Button>
    </nav>
  );
}

interface ViewLinkProps {
  readonly view: ViewEntry;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** The link to a view, if the source has what the view needs. */
function ViewLink({ view: { title, icon: Icon, needs }, href, isCurrent }: ViewLinkProps) {
  const isOffered = useOffers(needs);
  if (needs !== undefined && isOffered !== true) return null;
  return (
    <li>
      <a
        className={styles.view}
        href={href}
        aria-current={isCurrent ? 'page' : undefined}
        aria-label={title}
        title={title}
      >
        <Icon size={16} aria-hidden />
        <span className={styles.label}>{title}</span>
      </a>
    </li>
  );
}
