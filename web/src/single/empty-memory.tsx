import { Brain } from 'lucide-react';
import { Empty } from '../parts/empty.tsx';

/** What stands where a memory without anything in it would be shown. */
export function EmptyMemory() {
  return (
    <Empty icon={Brain} title="Nothing is in this page">
      <p>The memory was empty when this page was written.</p>
    </Empty>
  );
}
