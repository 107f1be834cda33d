import { notify } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { storageSentence } from '../../components/storage.ts';
import { useSource, useStore } from '../../source/source-context.tsx';
import styles from './settings.module.css';

const REFUSED = {
  text: 'The browser did not agree to keep the memory.',
  detail: 'It may agree once you have used this page more often, or have bookmarked or installed it.',
};

/** Shows whether the browser keeps the memory, and asks it to. */
export function BrowserStorage() {
  const { status, persist } = useSource();
  const { storage, storageNote, isPersistent } = useStore(status);
  if (storage === 'memory')
    return <p className={styles.note}>The memory is lost when this page closes. {storageNote}</p>;
  if (isPersistent === undefined)
    return <p className={styles.note}>This browser does not say whether it keeps the memory when space is short.</p>;
  const ask = async (): Promise<void> => {
    if ((await persist?.()) === false) notify(REFUSED);
  };
  return (
    <>
      <p className={styles.note}>{storageSentence(isPersistent)}</p>
      {!isPersistent && persist !== undefined && (
        <div>
          <Button onPress={() => void ask()}>Ask the browser to keep it</Button>
        </div>
      )}
    </>
  );
}
