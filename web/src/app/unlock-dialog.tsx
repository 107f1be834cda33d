import { useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../components/button.tsx';
import confirms from '../components/confirm.module.css';
import fields from '../components/field.module.css';
import { Problem } from '../components/problem.tsx';
import { useSource } from '../source/source-context.tsx';
import type { ToolError } from '../source/tools.ts';

/** Asks for the recovery phrase of a database whose key this browser has lost. It stays until the database is open. */
export function UnlockDialog() {
  const { encryption } = useSource();
  const [phrase, setPhrase] = useState('');
  const [problem, setProblem] = useState<ToolError>();
  const [isRunning, setRunning] = useState(false);
  const unlock = async (): Promise<void> => {
    setRunning(true);
    const answer = await encryption?.unlock(phrase);
    setRunning(false);
    setProblem(answer === undefined || answer.ok ? undefined : answer.error);
  };
  return (
    <ModalOverlay className={confirms.overlay} isOpen isKeyboardDismissDisabled>
      <Modal className={confirms.modal}>
        <Dialog className={confirms.dialog}>
          <Heading slot="title">The memory is locked</Heading>
          <p>
            The memory of this page is encrypted, and this browser no longer has its key: site data may have been
            cleared in part. Enter the recovery phrase that was shown when it was encrypted. Without the phrase it
            cannot be read; if you delete all data of this site in the browser’s settings, the page starts with an empty
            memory.
          </p>
          <form
            className={confirms.answer}
            onSubmit={(event) => {
              event.preventDefault();
              void unlock();
            }}
          >
            <label className={fields.field}>
              <span className={fields.label}>Recovery phrase</span>
              <textarea
                className={`${fields.input} ${fields.code}`}
                autoFocus
                required
                rows={3}
                autoComplete="off"
                spellCheck={false}
                value={phrase}
                onChange={({ target }) => setPhrase(target.value)}
              />
              <span className={fields.help}>14 groups of 4 characters.</span>
            </label>
            {problem !== undefined && <Problem problem={problem} />}
            <div className={confirms.actions}>
              <Button variant="primary" type="submit" isDisabled={isRunning}>
                {isRunning ? 'Opening…' : 'Unlock'}
              </Button>
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
