import { ArrowLeft, ArrowLeftRight, ArrowRight, Trash2 } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { removeLinks, setStrength } from '../../mutations/memory-links.ts';
import { IconButton } from '../../components/button.tsx';
import { EditableText } from '../../components/editable-text.tsx';
import { counted } from '../../components/format.ts';
import type { LinkRow } from '../../source/explorer-tools.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import { useDomainNames } from '../../source/use-domain-names.ts';
import lines from '../line.module.css';
import { Section } from '../section.tsx';
import styles from './lists.module.css';
import { NewLink } from './new-link.tsx';
import { saveNumber, shortNumber } from './number.ts';

interface Props {
  readonly id: string;
  readonly links: readonly LinkRow[];
  readonly omitted: number | undefined;
}

/** Links in both directions, and references into other domains. */
export function Links({ id, links, omitted = 0 }: Props) {
  const canEdit = useCanEdit();
  const nameOf = useDomainNames(links.some(({ is_reference: isReference }) => isReference));
  return (
    <Section title="Links" count={links.length + omitted} actions={canEdit && <NewLink id={id} links={links} />}>
      <ul>
        {links.map((link) => (
          <LinkItem key={link.id} id={id} link={link} nameOf={nameOf} />
        ))}
      </ul>
      {omitted > 0 && <p className={styles.more}>and {counted(omitted, 'more link')}</p>}
    </Section>
  );
}

interface ItemProps {
  readonly id: string;
  readonly link: LinkRow;
  /** The display name of a domain. */
  readonly nameOf: (domain: string) => string;
}

function LinkItem({ id, link, nameOf }: ItemProps) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { hrefOf } = useRoute();
  const leads = link.from_id === id;
  const other = leads
    ? { id: link.to_id, text: link.to, domain: link.to_domain }
    : { id: link.from_id, text: link.from, domain: link.from_domain };
  const Arrow = link.bidirectional ? ArrowLeftRight : leads ? ArrowRight : ArrowLeft;
  return (
    <li className={`${lines.line} ${styles.item}`}>
      <Arrow size={13} aria-label={link.bidirectional ? 'in both directions' : leads ? 'to' : 'from'} />
      <div className={lines.text}>
        <span className={lines.type}>{link.type}</span>{' '}
        <a href={hrefOf({ selection: { kind: 'memory', id: other.id } })}>
          {other.text === '' ? other.id : other.text}
        </a>
        <div className={lines.meta}>
          {!link.is_reference && (canEdit || link.strength !== 1) && (
            <>
              <span>strength</span>
              <EditableText
                label="Strength, 0 to 1"
                text={shortNumber(link.strength)}
                onSave={(typed) =>
                  saveNumber(typed, 'from 0 to 1, such as 0.8', (strength) => setStrength(source, link, strength))
                }
              />
            </>
          )}
          {link.is_reference && <span>in the domain {nameOf(other.domain)}</span>}
        </div>
      </div>
      <div className={lines.actions}>
        {canEdit && <IconButton icon={Trash2} label="Remove link" onPress={() => void removeLinks(source, [link])} />}
      </div>
    </li>
  );
}
