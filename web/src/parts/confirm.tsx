import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { createStore } from '../source/store.ts';
import { useStore } from '../source/source-context.tsx';
import { Button } from './button.tsx';
import styles from './confirm.module.css';

interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button does, as a verb. */
  readonly action: string;
  readonly isDanger?: boolean;
}

interface Asked extends Question {
  readonly answer: (isAgreed: boolean) => void;
}

const asked = createStore<Asked | undefined>(undefined);

/** Asks before something is done that has no way back. */
export function confirm(question: Question): Promise<boolean> {
  asked.get()?.answer(false);
  return new Promise((answer) => asked.set({ ...question, answer }));
}

/** Where the questions appear; stands once in the page. */
export function Confirmations() {
  const question = useStore(asked);
  const end = (isAgreed: boolean): void => {
    asked.set(undefined);
    question?.answer(isAgreed);
  };
  return (
    <ModalOverlay className={styles.overlay} isOpen={question !== undefined} onOpenChange={(isOpen) => (isOpen ? undefined : end(false))} isDismissable>
      <Modal className={styles.modal}>
        <Dialog className={styles.dialog} role="alertdialog">
          <Heading slot="title">{question?.title}</Heading>
          <p>{question?.text}</p>
          <div className={styles.actions}>
            <Button autoFocus={question?.isDanger === true} onPress={() => end(false)}>
              Cancel
            </Button>
            <Button look={question?.isDanger === true ? 'danger' : 'primary'} autoFocus={question?.isDanger !== true} onPress={() => end(true)}>
              {question?.action}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
