import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../parts/button.tsx';
import confirmStyles from '../parts/confirm.module.css';
import { counted } from '../parts/format.ts';
import { Problem } from '../parts/problem.tsx';
import { useSource, useStore } from '../source/source-context.tsx';
import { failuresOf, importedText, isVain, problemsOf } from './file-kind.ts';
import styles from './files.module.css';
import { type Import, importing, switchState } from './transfer.ts';

const TITLES: Readonly<Record<Import['step'], string>> = { running: 'Importing', done: 'Imported', failed: 'Not imported' };
const PROBLEMS_MAX = 50;

/** How an import does, and what came of it. */
export function ImportDialog() {
  const source = useSource();
  const state = useStore(importing);
  const close = (): void => importing.set(undefined);
  const isRunning = state?.step === 'running';
  return (
    <ModalOverlay
      className={confirmStyles.overlay}
      isOpen={state !== undefined}
      onOpenChange={(isOpen) => (isOpen || isRunning ? undefined : close())}
      isDismissable={!isRunning}
      isKeyboardDismissDisabled={isRunning}
    >
      <Modal className={confirmStyles.modal}>
        <Dialog className={confirmStyles.dialog}>
          <Heading slot="title">{state === undefined ? '' : titleOf(state)}</Heading>
          {state !== undefined && <Body state={state} />}
          {!isRunning && (
            <div className={confirmStyles.actions}>
              {state?.step === 'done' && state.canUndo && !isVain(state.value) && <Button onPress={() => void switchState(source)}>Undo</Button>}
              <Button look="primary" onPress={close} autoFocus>
                Close
              </Button>
            </div>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function titleOf(state: Import): string {
  return state.step === 'done' && isVain(state.value) ? TITLES.failed : TITLES[state.step];
}

function Body({ state }: { readonly state: Import }) {
  if (state.step === 'running') {
    const { name, done, total } = state;
    return (
      <>
        <p>{name}</p>
        <progress className={styles.progress} aria-label={`Importing ${name}`} {...(total > 0 ? { value: done, max: total } : {})} />
      </>
    );
  }
  if (state.step === 'failed') {
    return (
      <>
        <p>{state.name}</p>
        <Problem problem={state.problem} />
      </>
    );
  }
  const { name, value } = state;
  const isReplaced = typeof value === 'object' && value !== null && 'replaced' in value;
  const problems = problemsOf(value);
  return (
    <>
      <p>{isReplaced ? `The memory is the content of “${name}”.` : `From “${name}”: ${importedText(value)}.`}</p>
      {problems.length > 0 && (
        <details>
          <summary>{counted(Math.max(failuresOf(value), problems.length), 'problem')}</summary>
          <ul className={styles.problems}>
            {problems.slice(0, PROBLEMS_MAX).map((problem, index) => (
              <li key={index}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
