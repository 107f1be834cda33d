import { FileDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSource } from '../source/source-context.tsx';
import styles from './files.module.css';
import { importFile } from './transfer.ts';

/** Takes a file that is dropped anywhere on the page. Without it, the browser would open the file in place of the page. */
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
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) void importFile(source, file);
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
        <strong>{source.importFile === undefined ? 'A server takes no files here' : 'Drop a memory'}</strong>
        {source.importFile !== undefined && <span>A Limbic database replaces this memory, after a question where it is not empty; an export, a JSONL file or another database is added.</span>}
      </div>
    </div>
  );
}

/** Text that is dragged is none of our business. */
function hasFile(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}
