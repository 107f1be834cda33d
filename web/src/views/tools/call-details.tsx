import { X } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { JsonTree } from '../../components/json-tree.tsx';
import type { LoggedCall } from '../../source/call-log.ts';
import { isTruncated, parsedJson } from './log-model.ts';
import styles from './log-view.module.css';
import { drafts } from './tool-form.tsx';

interface Props {
  readonly call: LoggedCall;
  readonly onClose: () => void;
}

/** A call with its full arguments and answer. */
export function CallDetails({ call, onClose }: Props) {
  const { go } = useRoute();
  const args = parsedJson(call.args);
  const isWhole = typeof args === 'object' && args !== null;
  const open = (): void => {
    drafts.set(call.tool, args as Readonly<Record<string, unknown>>);
    go({ params: { tool: call.tool, tab: undefined, call: undefined } });
  };
  return (
    <section className={styles.details} aria-label={`Call of ${call.tool}`}>
      <div className={styles.detailsBar}>
        <strong>{call.tool}</strong>
        <span className={styles.gap} />
        {isWhole && <Button onPress={open}>Open in form</Button>}
        <IconButton icon={X} label="Close details" onPress={onClose} />
      </div>
      <div className={styles.detailsBody} tabIndex={0} role="group" aria-label="Arguments and answer">
        <Part title="Arguments" text={call.args} length={call.argsLength} openLevels={4} />
        {call.answer === undefined ? (
          <p className={styles.none}>No answer yet.</p>
        ) : (
          <Part
            title={call.isError === true ? 'Error' : 'Answer'}
            text={call.answer}
            length={call.answerLength}
            openLevels={2}
          />
        )}
      </div>
    </section>
  );
}

interface PartProps {
  readonly title: string;
  readonly text: string;
  readonly length: number | undefined;
  readonly openLevels: number;
}

function Part({ title, text, length, openLevels }: PartProps) {
  return (
    <>
      <h2 className={styles.partTitle}>
        {title}
        <CopyButton label={`Copy: ${title.toLowerCase()}`} text={() => text} />
      </h2>
      {isTruncated(text, length) ? (
        <>
          <p className={styles.none}>
            The log contains the first {text.length.toLocaleString('en')} of {length?.toLocaleString('en')} characters.
          </p>
          <pre className={styles.cut}>{text}</pre>
        </>
      ) : (
        <JsonTree value={parsedJson(text)} openLevels={openLevels} />
      )}
    </>
  );
}
