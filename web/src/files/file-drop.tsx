import { FileDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useRoute } from '../app/use-route.ts';
import { useSource } from '../source/source-context.tsx';
import styles from './files.module.css';
import { droppedFolders, hasFolder } from './open-folder.ts';
import { openCode } from './open-code.ts';
import { importFiles } from './transfer.ts';

/** The view in which dropped files are source code. */
const CODE_VIEW = 'code';

/**
 * Imports files that are dropped on the page; folders, and files that are dropped on the Code view, are opened as
 * source code. By default, the browser would navigate to the file.
 */
export function FileDrop() {
  const source = useSource();
  const { route, go } = useRoute();
  const takesCode = source.code !== undefined && route.view === CODE_VIEW;
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  useEffect(() => {
    const enter = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      depth.current += 1;
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      depth.current = Math.max(0, depth.current - 1);
      setOver(depth.current > 0);
    };
    const over = (event: DragEvent): void => {
      if (hasFile(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      event.preventDefault();
      depth.current = 0;
      setOver(false);
      const { dataTransfer } = event;
      if (dataTransfer === null) return;
      if (source.code !== undefined && (takesCode || hasFolder(dataTransfer))) {
        void openCode(source.code, droppedFolders(dataTransfer), go);
      } else void importFiles(source, [...dataTransfer.files]);
    };
    addEventListener('dragenter', enter);
    addEventListener('dragleave', leave);
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, [source, takesCode, go]);
  if (!isOver) return null;
  return (
    <div className={styles.drop}>
      <div>
        <FileDown size={28} strokeWidth={1.4} aria-hidden />
        <strong>{titleOf(source.importFile !== undefined, takesCode)}</strong>
        {takesCode && <span>The page reads them, and changes nothing.</span>}
        {source.importFile !== undefined && !takesCode && (
          <span>
            A Limbic database replaces this memory, after a confirmation if the memory is not empty; exports, Markdown,
            JSON and databases of other programs are added to it. Drop a database together with its -wal file.
          </span>
        )}
      </div>
    </div>
  );
}

function titleOf(imports: boolean, takesCode: boolean): string {
  if (takesCode) return 'Drop a folder or files to open them as source code';
  return imports ? 'Drop files to import them' : 'Files cannot be imported into a server from this page';
}

/** Dragged text is ignored. */
function hasFile(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}
