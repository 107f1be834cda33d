import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { bytesText, startOf } from '../../components/format.ts';
import { JsonTree } from '../../components/json-tree.tsx';
import { Segments } from '../../components/segments.tsx';
import type { Answer } from '../../source/tools.ts';
import { bytesOf, millisText } from './log-model.ts';
import styles from './tool-form.module.css';

type AnswerFormat = 'tree' | 'text';
const FORMATS: readonly { readonly id: AnswerFormat; readonly title: string }[] = [
  { id: 'tree', title: 'Tree' },
  { id: 'text', title: 'Text' },
];
/** Maximum length of a displayed text, since longer ones make the page slow; the full text can be copied. */
const MAX_TEXT = 200_000;

/** An answer with details of the call. */
export interface Called {
  readonly answer: Answer<unknown>;
  readonly tookMillis: number;
}

interface Props {
  readonly called: Called | undefined;
  readonly isRunning: boolean;
}

export function AnswerPanel({ called, isRunning }: Props) {
  const [format, setLook] = useState<AnswerFormat>('tree');
  const place = useRef<HTMLElement>(null);
  const text = called?.answer.text ?? '';
  useEffect(() => {
    // On a narrow page the answer is below the form.
    const around = place.current?.parentElement;
    if (called?.answer.ok !== true || around === null || around === undefined) return;
    around.scrollTop = (place.current?.offsetTop ?? 0) - around.offsetTop;
  }, [called]);
  return (
    <section ref={place} className={styles.answer} aria-label="Answer" aria-busy={isRunning}>
      <div className={styles.answerBar}>
        {called === undefined ? (
          <span>Answer</span>
        ) : (
          <span role="status">
            <span className={styles.state} data-error={!called.answer.ok || undefined}>
              {called.answer.ok ? 'ok' : called.answer.error.code}
            </span>{' '}
            {millisText(called.tookMillis)}, {bytesText(bytesOf(text))}
          </span>
        )}
        <span className={styles.space} />
        {called !== undefined && (
          <>
            <Segments label="Answer format" choices={FORMATS} chosen={format} onChoose={setLook} />
            <CopyButton label="Copy answer" text={() => text} />
          </>
        )}
      </div>
      <div className={styles.answerBody} tabIndex={0} role="group" aria-label="Answer as JSON">
        {called === undefined && (
          <p className={styles.none}>The answer of the tool appears here. Press Ctrl Enter to call it.</p>
        )}
        {called !== undefined && format === 'tree' && (
          <JsonTree key={text.slice(0, 200) + text.length} value={JSON.parse(safe(text))} />
        )}
        {called !== undefined && format === 'text' && <pre className={styles.text}>{shortened(pretty(text))}</pre>}
      </div>
    </section>
  );
}

/** Formats JSON; an answer that is cut off by a broken connection is shown as text. */
function safe(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function pretty(text: string): string {
  return JSON.stringify(JSON.parse(safe(text)), null, 2);
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${startOf(text, MAX_TEXT)}\n… ${(text.length - MAX_TEXT).toLocaleString('en')} characters more`;
}
