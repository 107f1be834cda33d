import { useRef } from 'react';
import { isComposing } from '../../components/is-composing.ts';
import styles from './editor.module.css';
import { highlight } from './highlight.ts';

interface Props {
  readonly value: string;
  readonly onChange: (sql: string) => void;
  readonly onRun: () => void;
}

/** A text field with syntax highlighting. Tab moves the focus, as in every field. */
export function Editor({ value, onChange, onRun }: Props) {
  const back = useRef<HTMLPreElement>(null);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isComposing(event)) return;
    event.preventDefault();
    onRun();
  };
  const onScroll = (event: React.UIEvent<HTMLTextAreaElement>): void => {
    back.current?.scrollTo(event.currentTarget.scrollLeft, event.currentTarget.scrollTop);
  };
  return (
    <div className={styles.editor}>
      <pre ref={back} className={styles.back} aria-hidden>
        {highlight(value).map(({ text, what }, index) => (
          <span key={index} data-what={what}>
            {text}
          </span>
        ))}
        {'\n'}
      </pre>
      <textarea
        className={styles.front}
        aria-label="SQL"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onScroll={onScroll}
        placeholder="SELECT … FROM … Ctrl Enter runs it"
      />
    </div>
  );
}
