/** Components that replace those of the explorer in the standalone page: it has no import, export or tour. */
import { Brain } from 'lucide-react';
import { Empty } from '../components/empty.tsx';

/** The standalone page has no dialogs, file drop, tour or updates. */
export function GlobalOverlays() {
  return null;
}

/** The standalone page has no memory menu. */
export function MemoryMenu() {
  return null;
}

/** Shown instead of a view when the memory is empty. */
export function EmptyMemory() {
  return (
    <Empty icon={Brain} title="This page has no records">
      <p>The memory was empty when this page was exported.</p>
    </Empty>
  );
}
