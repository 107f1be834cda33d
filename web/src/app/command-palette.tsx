import { useEffect } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { RecordSearch } from '../components/record-search.tsx';
import { useStore } from '../source/source-context.tsx';
import { createStore } from '../source/store.ts';
import styles from './command-palette.module.css';
import type { Selection } from './route.ts';
import { useRoute } from './use-route.ts';

/** Whether the command palette is open. */
export const commandPaletteOpen = createStore(false);

/** Finds an entity or a memory from anywhere and shows it in the inspector: Ctrl K or Cmd K. */
export function CommandPalette() {
  const isOpen = useStore(commandPaletteOpen);
  const { go } = useRoute();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      commandPaletteOpen.set(!commandPaletteOpen.get());
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const choose = (selection: Selection): void => {
    commandPaletteOpen.set(false);
    go({ selection });
  };
  return (
    <ModalOverlay className={styles.overlay} isOpen={isOpen} onOpenChange={commandPaletteOpen.set} isDismissable>
      <Modal className={styles.modal}>
        <Dialog className={styles.dialog} aria-label="Find an entity or a memory">
          <RecordSearch
            label="Find an entity or a memory"
            placeholder="Find by name, type or text"
            finds="both"
            onChoose={choose}
            autoFocus
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
