import { useState } from 'react';
import { startOf } from './format.ts';
import styles from './json-tree.module.css';

interface Props {
  readonly value: unknown;
  /** How many levels are open at first. */
  readonly openLevels?: number;
}

/** Members rendered before "more" is pressed. */
const MEMBERS_STEP = 100;
const PREVIEW_LENGTH = 60;

/** A collapsible JSON value. Collapsed parts are not rendered, so that large answers work. */
export function JsonTree({ value, openLevels = 2 }: Props) {
  return (
    <div className={styles.tree}>
      <Node value={value} openLevels={openLevels} />
    </div>
  );
}

interface NodeProps {
  readonly name?: string;
  readonly value: unknown;
  readonly openLevels: number;
}

function Node({ name, value, openLevels }: NodeProps) {
  const [isOpen, setOpen] = useState(openLevels > 0);
  const [shown, setShown] = useState(MEMBERS_STEP);
  const label = name === undefined ? null : <span className={styles.name}>{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={styles.leaf}>
        {label}
        <Leaf value={value} />
      </div>
    );
  }
  const members = Object.entries(value);
  const isList = Array.isArray(value);
  if (members.length === 0) {
    return (
      <div className={styles.leaf}>
        {label}
        {isList ? '[]' : '{}'}
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className={styles.count}>{isList ? `[${members.length}]` : `{${members.length}}`}</span>
        {!isOpen && <span className={styles.preview}> {preview(members, isList)}</span>}
      </summary>
      {isOpen && (
        <div className={styles.members}>
          {members.slice(0, shown).map(([key, member]) => (
            <Node key={key} name={key} value={member} openLevels={openLevels - 1} />
          ))}
          {members.length > shown && (
            <button type="button" className={styles.more} onClick={() => setShown(shown * 4)}>
              {(members.length - shown).toLocaleString('en')} more
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <span className={styles.text}>“{value}”</span>;
  return <span className={value === null ? styles.nothing : styles.number}>{String(value)}</span>;
}

/** A preview of a collapsed value. */
export function preview(members: readonly (readonly [string, unknown])[], isList: boolean): string {
  let text = '';
  for (const [key, member] of members) {
    const short =
      typeof member === 'object' && member !== null ? (Array.isArray(member) ? '[…]' : '{…}') : JSON.stringify(member);
    text += `${text === '' ? '' : ', '}${isList ? '' : `${key}: `}${short}`;
    if (text.length > PREVIEW_LENGTH) return `${startOf(text, PREVIEW_LENGTH)}…`;
  }
  return text;
}
