import { FileDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSource } from '../source/source-context.tsx';
import styles from './files.module.css';
import { importFiles } from './transfer.ts';

/** Imports files that are dropped on the page. By default, the browser would navigate to the file. */
export function FileDrop() {
  const source = useSource();
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
      void importFiles(source, [...(event.dataTransfer?.files ?? [])]);
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
  }, [source]);
  if (!isOver) return null;
  return (
    <div className={styles.drop}>
      <div>
        <FileDown size={28} strokeWidth={1.4} aria-hidden />
        <strong>
          {source.importFile === undefined
            ? 'Files cannot be imported into a server from this page'
            : 'Drop files to import them'}
        </strong>
        {source.importFile !== undefined && (
          <span>
            A Limbic database replaces this memory, after a confirmation if the memory is not empty; exports, Markdown,
            JSON and databases of other programs are added to it. Drop a database together with its -wal file.
          </span>
        )}
      </div>
    </div>
  );
}

/** Dragged text is ignored. */
function hasFile(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}
