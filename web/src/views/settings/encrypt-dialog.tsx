import { useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { notify } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import confirms from '../../components/confirm.module.css';
import { CopyButton } from '../../components/copy-button.tsx';
import { Problem } from '../../components/problem.tsx';
import type { PageEncryption } from '../../source/source.ts';
import type { ToolError } from '../../source/tools.ts';
import styles from './settings.module.css';

interface Props {
  readonly phrase: string;
  readonly encryption: PageEncryption;
  readonly onClose: () => void;
}

/** Shows the recovery phrase once, and encrypts the database when the user has kept it. */
export function EncryptDialog({ phrase, encryption, onClose }: Props) {
  const [isKept, setKept] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<ToolError>();
  const encrypt = async (): Promise<void> => {
    setRunning(true);
    const answer = await encryption.encrypt(phrase);
    setRunning(false);
    if (!answer.ok) {
      setProblem(answer.error);
      return;
    }
    const { unfinished } = answer.value;
    notify({
      text: 'The memory is encrypted in this browser.',
      ...(unfinished !== undefined && { detail: `But ${unfinished}.`, isError: true, stays: true }),
    });
    onClose();
  };
  return (
    // Neither a click beside it nor Escape may lose a phrase that cannot be shown again.
    <ModalOverlay className={confirms.overlay} isOpen isKeyboardDismissDisabled>
      <Modal className={confirms.modal}>
        <Dialog className={confirms.dialog}>
          <Heading slot="title">Encrypt the memory</Heading>
          <p>
            Keep this recovery phrase outside this browser: on paper or in a password manager. If the browser loses the
            key, nothing else opens the memory. It is not shown again.
          </p>
          <div className={styles.secret}>
            <code aria-label="Recovery phrase">{phrase}</code>
            <CopyButton label="Copy recovery phrase" text={() => phrase} />
          </div>
          <p>
            Exports stay plain files, and so does what the page keeps beside the memory: the history of SQL statements.
            A device with flash memory may keep former content in places that no program overwrites.
          </p>
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={isKept}
              disabled={isRunning}
              onChange={({ target }) => setKept(target.checked)}
            />
            I have kept the recovery phrase
          </label>
          {problem !== undefined && <Problem problem={problem} />}
          {problem !== undefined && (
            <p>
              Keep the phrase until the status bar says whether the memory is encrypted: it may be, with this phrase.
            </p>
          )}
          <div className={confirms.actions}>
            <Button variant="quiet" isDisabled={isRunning} onPress={onClose}>
              Cancel
            </Button>
            <Button variant="primary" isDisabled={!isKept || isRunning} onPress={() => void encrypt()}>
              {isRunning ? 'Encrypting…' : 'Encrypt'}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
