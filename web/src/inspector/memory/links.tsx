import { ArrowLeft, ArrowLeftRight, ArrowRight, Trash2 } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { removeLinks } from '../../edits/memory-links.ts';
import { IconButton } from '../../parts/button.tsx';
import { counted } from '../../parts/format.ts';
import type { LinkRow } from '../../source/explorer-tools.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import lines from '../line.module.css';
import { Section } from '../section.tsx';
import styles from './lists.module.css';
import { NewLink } from './new-link.tsx';

interface Props {
  readonly id: string;
  readonly links: readonly LinkRow[];
  readonly omitted: number | undefined;
}

/** Links both ways, and references into other domains. */
export function Links({ id, links, omitted = 0 }: Props) {
  const canEdit = useCanEdit();
  return (
    <Section title="Links" count={links.length + omitted} actions={canEdit && <NewLink id={id} />}>
      <ul>
        {links.map((link) => (
          <LinkItem key={link.id} id={id} link={link} />
        ))}
      </ul>
      {omitted > 0 && <p className={styles.more}>and {counted(omitted, 'more link')}</p>}
    </Section>
  );
}

function LinkItem({ id, link }: { readonly id: string; readonly link: LinkRow }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { hrefOf } = useRoute();
  const leads = link.from_id === id;
  const other = leads ? { id: link.to_id, text: link.to, domain: link.to_domain } : { id: link.from_id, text: link.from, domain: link.from_domain };
  const Arrow = link.bidirectional ? ArrowLeftRight : leads ? ArrowRight : ArrowLeft;
  return (
    <li className={`${lines.line} ${styles.item}`}>
      <Arrow size={13} aria-label={link.bidirectional ? 'both ways' : leads ? 'to' : 'from'} />
      <div className={styles.text}>
        <span className={styles.type}>{link.type}</span> <a href={hrefOf({ selection: { kind: 'memory', id: other.id } })}>{other.text === '' ? other.id : other.text}</a>
        <p className={lines.meta}>
          {!link.is_reference && link.strength !== 1 && <span>strength {link.strength.toLocaleString('en')}</span>}
          {link.is_reference && <span>in the domain {other.domain}</span>}
        </p>
      </div>
      <div className={lines.actions}>{canEdit && <IconButton icon={Trash2} label="Remove the link" onPress={() => void removeLinks(source, [link])} />}</div>
    </li>
  );
}
