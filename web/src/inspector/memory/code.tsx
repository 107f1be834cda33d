import { CodeLinks, type CodeLink } from '../../components/code-links.tsx';
import { Section } from '../section.tsx';
import styles from './lists.module.css';

/** The symbols of code that a memory is about. */
export function Code({ links }: { readonly links: readonly CodeLink[] }) {
  if (links.length === 0) return null;
  return (
    <Section title="Code" count={links.length}>
      <div className={styles.code}>
        <CodeLinks links={links} />
      </div>
    </Section>
  );
}
