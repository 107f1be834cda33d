import { Brain, FileUp, Sprout } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { Empty } from '../components/empty.tsx';
import { useSource, useStore } from '../source/source-context.tsx';
import { offerTour } from '../tour/tour.ts';
import styles from './files.module.css';
import { pickFiles } from './pick-files.ts';
import { isLoadingSample, loadSample } from './sample.ts';
import { importFiles } from './transfer.ts';

/** Shown instead of a view when the memory is empty. */
export function EmptyMemory() {
  const source = useSource();
  const { storage, storageNote } = useStore(source.status);
  const isLoading = useStore(isLoadingSample);
  const sample = async (): Promise<void> => {
    if (await loadSample(source)) offerTour();
  };
  const files = async (): Promise<void> => {
    await importFiles(source, await pickFiles());
  };
  if (isLoading) return <Empty icon={Sprout} title="Loading the sample memory…" />;
  if (source.importFile === undefined) {
    return (
      <Empty icon={Brain} title="No memories yet">
        <p>Everything that agents store on this server appears here within a second.</p>
      </Empty>
    );
  }
  return (
    <Empty icon={Brain} title="No memories yet">
      <p>
        This memory {storage === 'memory' ? 'is kept in this page until you close it' : 'is stored in your browser'} and
        is sent nowhere. Load a sample, or import your own: choose a file or drop it on the page.
      </p>
      {storage === 'memory' && storageNote !== undefined && <p>{storageNote}</p>}
      <div className={styles.actions}>
        <Button variant="primary" icon={Sprout} onPress={() => void sample()}>
          Load sample memory
        </Button>
        <Button icon={FileUp} onPress={() => void files()}>
          Import files…
        </Button>
      </div>
    </Empty>
  );
}
