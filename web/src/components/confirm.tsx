import { useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { createStore } from '../source/store.ts';
import { useStore } from '../source/source-context.tsx';
import { Button } from './button.tsx';
import styles from './confirm.module.css';
import fields from './field.module.css';

interface Question {
  readonly title: string;
  readonly text: string;
  /** The label of the confirming button, a verb. */
  readonly action: string;
  readonly isDanger?: boolean;
}

/** An input field of the dialog. */
interface Field {
  readonly label: string;
  /** The initial value. */
  readonly initial: string;
  /** Maximum number of characters. */
  readonly maxLength?: number;
  /** The options of a select; without them, a text field. */
  readonly options?: readonly { readonly id: string; readonly title: string }[];
}

interface PendingQuestion extends Question {
  readonly field?: Field;
  /** Called with the value, or with `undefined` if the dialog was cancelled. */
  readonly answer: (given: string | undefined) => void;
}

const pending = createStore<PendingQuestion | undefined>(undefined);

/** Asks for confirmation. Returns whether the user confirmed. */
export async function confirm(question: Question): Promise<boolean> {
  return (await ask(question)) !== undefined;
}

/** Asks for a value; `undefined` if the user cancels. */
export function askFor(question: Question, field: Field): Promise<string | undefined> {
  return ask({ ...question, field });
}

function ask(question: Question & { readonly field?: Field }): Promise<string | undefined> {
  pending.get()?.answer(undefined);
  return new Promise((answer) => pending.set({ ...question, answer }));
}

/** Renders the pending dialog; used once in the page. */
export function ConfirmDialog() {
  const question = useStore(pending);
  const end = (given: string | undefined): void => {
    pending.set(undefined);
    question?.answer(given);
  };
  return (
    <ModalOverlay
      className={styles.overlay}
      isOpen={question !== undefined}
      onOpenChange={(isOpen) => (isOpen ? undefined : end(undefined))}
      isDismissable
    >
      <Modal className={styles.modal}>
        <Dialog className={styles.dialog} role="alertdialog">
          <Heading slot="title">{question?.title}</Heading>
          <p>{question?.text}</p>
          {question !== undefined && <Answer question={question} onEnd={end} />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Answer({
  question: { field, action, isDanger = false },
  onEnd,
}: {
  readonly question: PendingQuestion;
  readonly onEnd: (given: string | undefined) => void;
}) {
  const [given, setGiven] = useState(field?.initial ?? '');
  const give = (event: React.FormEvent): void => {
    event.preventDefault();
    onEnd(given.trim());
  };
  return (
    <form className={styles.answer} onSubmit={give}>
      {field !== undefined && (
        <label className={fields.field}>
          <span className={fields.label}>{field.label}</span>
          {field.options === undefined ? (
            <input
              className={fields.input}
              autoFocus
              maxLength={field.maxLength}
              value={given}
              onChange={({ target }) => setGiven(target.value)}
            />
          ) : (
            <select className={fields.input} autoFocus value={given} onChange={({ target }) => setGiven(target.value)}>
              {field.options.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </label>
      )}
      <div className={styles.actions}>
        <Button autoFocus={isDanger && field === undefined} onPress={() => onEnd(undefined)}>
          Cancel
        </Button>
        <Button variant={isDanger ? 'danger' : 'primary'} type="submit" autoFocus={!isDanger && field === undefined}>
          {action}
        </Button>
      </div>
    </form>
  );
}
