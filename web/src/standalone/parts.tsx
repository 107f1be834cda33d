/** What the page that stands alone has in place of parts of the explorer: nothing can be imported, saved or begun in it. */
import { Brain } from 'lucide-react';
import { Empty } from '../components/empty.tsx';

/** Questions, files, the tour and updates go along with the explorer's views, and with none here. */
export function Companions() {
  return null;
}

/** Nothing can be done with the memory as a whole. */
export function MemoryMenu() {
  return null;
}

/** What stands where a memory without anything in it would be shown. */
export function EmptyMemory() {
  return (
    <Empty icon={Brain} title="This page has no records">
      <p>The memory was empty when this page was exported.</p>
    </Empty>
  );
}
