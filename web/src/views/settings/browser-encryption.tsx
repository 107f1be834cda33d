import { useState } from 'react';
import { notify, notifyError } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import type { PageEncryption } from '../../source/source.ts';
import { EncryptDialog } from './encrypt-dialog.tsx';
import styles from './settings.module.css';

interface Props {
  readonly encryption: PageEncryption;
  readonly isEncrypted: boolean;
}

const DECRYPT = {
  title: 'Store the memory unencrypted?',
  text: 'Then anyone who can read the files of this browser profile can read every memory. The recovery phrase is not needed any more.',
  action: 'Decrypt',
  isDanger: true,
};

/** Encrypts and decrypts the database in the browser. */
export function BrowserEncryption({ encryption, isEncrypted }: Props) {
  const [phrase, setPhrase] = useState<string>();
  const [isDecrypting, setDecrypting] = useState(false);
  const begin = async (): Promise<void> => {
    const answer = await encryption.newPhrase();
    if (answer.ok) setPhrase(answer.value);
    else notifyError(answer.error);
  };
  const decrypt = async (): Promise<void> => {
    if (!(await confirm(DECRYPT))) return;
    setDecrypting(true);
    const answer = await encryption.decrypt();
    setDecrypting(false);
    if (answer.ok) notify({ text: 'The memory is stored unencrypted.' });
    else notifyError(answer.error);
  };
  return (
    <>
      <p className={styles.note}>
        {isEncrypted
          ? 'This browser keeps the key, so the page opens without asking. If the key is lost, the page asks for the recovery phrase.'
          : 'Once encrypted, its files reveal only their sizes and times of change without the key, which this browser keeps. A program that runs as you, or anyone who can open this page in this browser, can still read the memory.'}
      </p>
      <div>
        {isEncrypted ? (
          <Button isDisabled={isDecrypting} onPress={() => void decrypt()}>
            {isDecrypting ? 'Decrypting…' : 'Decrypt…'}
          </Button>
        ) : (
          <Button onPress={() => void begin()}>Encrypt…</Button>
        )}
      </div>
      {phrase !== undefined && (
        <EncryptDialog phrase={phrase} encryption={encryption} onClose={() => setPhrase(undefined)} />
      )}
    </>
  );
}
