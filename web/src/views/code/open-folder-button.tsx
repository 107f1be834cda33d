import { FolderPlus } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { openCode } from '../../files/open-code.ts';
import { pickFolder } from '../../files/open-folder.ts';
import type { PageCode } from '../../source/page-code.ts';

interface Props {
  readonly code: PageCode;
  readonly variant?: 'primary' | 'icon';
}

/** Asks for a folder, which the page indexes. */
export function OpenFolder({ code, variant = 'primary' }: Props) {
  const { go } = useRoute();
  const open = async (): Promise<void> => {
    const folder = await pickFolder();
    if (folder !== undefined) await openCode(code, [folder], go);
  };
  if (variant === 'icon') return <IconButton icon={FolderPlus} label="Open a folder" onPress={() => void open()} />;
  return (
    <Button variant="primary" icon={FolderPlus} onPress={() => void open()}>
      Open a folder
    </Button>
  );
}
