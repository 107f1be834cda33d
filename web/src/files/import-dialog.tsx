import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../components/button.tsx';
import confirmStyles from '../components/confirm.module.css';
import { counted } from '../components/format.ts';
import { Problem } from '../components/problem.tsx';
import { useSource, useStore } from '../source/source-context.tsx';
import { failuresOf, importedText, isReplacement, isNothingImported, problemsOf } from './file-kind.ts';
import styles from './files.module.css';
import { pickFiles } from './pick-files.ts';
import { type Import, importFiles, importing, type Outcome, switchState } from './transfer.ts';

const MAX_PROBLEMS = 50;

/** The progress and the outcome of an import. */
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
              {state?.canUndo === true && state.outcomes.some(isImported) && (
                <Button onPress={() => void switchState(source, 'undo')}>Undo</Button>
              )}
              <Button variant="primary" onPress={close} autoFocus>
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
  if (state.step === 'running') return 'Importing';
  const taken = state.outcomes.filter(isImported).length;
  if (taken === 0) return 'Not imported';
  return taken === state.outcomes.length
    ? 'Imported'
    : `Imported ${taken} of ${counted(state.outcomes.length, 'file')}`;
}

function isImported(outcome: Outcome): boolean {
  return 'value' in outcome && !isNothingImported(outcome.value);
}

function Body({ state }: { readonly state: Import }) {
  if (state.step === 'running') {
    const { name, done, total } = state;
    return (
      <>
        <p>{name}</p>
        <progress
          className={styles.progress}
          aria-label={`Importing ${name}`}
          {...(total > 0 ? { value: done, max: total } : {})}
        />
      </>
    );
  }
  return state.outcomes.map((outcome, index) => <Result key={index} outcome={outcome} />);
}

function Result({ outcome }: { readonly outcome: Outcome }) {
  const { name } = outcome.file;
  if ('problem' in outcome) {
    return (
      <>
        <p>{name}</p>
        <Problem problem={outcome.problem} />
        {outcome.problem.code === 'wal_missing' && <WalOptions file={outcome.file} />}
      </>
    );
  }
  const { value } = outcome;
  const problems = problemsOf(value);
  return (
    <>
      <p>
        {isReplacement(value)
          ? `Replaced the memory with “${name}”: ${importedText(value)}.`
          : `From “${name}”: ${importedText(value)}.`}
      </p>
      {problems.length > 0 && (
        <details>
          <summary>{counted(Math.max(failuresOf(value), problems.length), 'problem')}</summary>
          <ul className={styles.problems}>
            {problems.slice(0, MAX_PROBLEMS).map((problem, index) => (
              <li key={index}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Options for a database in WAL mode that was selected without its `-wal` file. */
function WalOptions({ file }: { readonly file: File }) {
  const source = useSource();
  const both = async (): Promise<void> => {
    const files = await pickFiles();
    if (files.length > 0) await importFiles(source, files);
  };
  return (
    <div className={styles.ways}>
      <Button onPress={() => void both()}>Select both files…</Button>
      <Button onPress={() => void importFiles(source, [file], { withoutWal: true })}>Import without a -wal file</Button>
    </div>
  );
}
