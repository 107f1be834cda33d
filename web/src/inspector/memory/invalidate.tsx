import { CircleSlash, X } from 'lucide-react';
import { useState } from 'react';
import { Dialog, DialogTrigger, Heading, Input, Label, Popover, TextField } from 'react-aria-components';
import { canImportRecords } from '../../mutations/undo-snapshot.ts';
import { invalidateMemories } from '../../mutations/memories.ts';
import { undoWarning } from '../../mutations/memory-dialogs.ts';
import { Button, IconButton } from '../../components/button.tsx';
import inputs from '../../components/input.module.css';
import popovers from '../../components/popover.module.css';
import { RecordSearch } from '../../components/record-search.tsx';
import { useSource } from '../../source/source-context.tsx';
import form from '../popover-form.module.css';

/** The form that invalidates a memory, with a reason and a replacement. */
export function Invalidate({ id }: { readonly id: string }) {
  const source = useSource();
  const [reason, setReason] = useState('');
  const [successor, setSuccessor] = useState<{ readonly id: string; readonly text: string }>();
  const end = async (close: () => void): Promise<void> => {
    if (await invalidateMemories(source, [id], { reason: reason.trim(), supersededBy: successor?.id })) close();
  };
  return (
    <DialogTrigger>
      <IconButton icon={CircleSlash} label="Invalidate memory" />
      <Popover className={`${popovers.popover} ${form.popover}`} placement="bottom end">
        <Dialog className={form.dialog}>
          {({ close }) => (
            <>
              <Heading slot="title">Invalidate memory</Heading>
              <p className={form.note}>Recall will exclude it unless as_of is earlier.{undoWarning(source)}</p>
              <TextField className={form.field} value={reason} onChange={setReason} autoFocus>
                <Label>Reason (optional)</Label>
                <Input className={`${inputs.box} ${form.input}`} />
              </TextField>
              {successor === undefined ? (
                <RecordSearch
                  label="Replaced by"
                  placeholder="Replaced by (optional)"
                  finds="memories"
                  suggests={false}
                  without={id}
                  onChoose={({ id: other }, text) => setSuccessor({ id: other, text })}
                />
              ) : (
                <p className={form.chosen}>
                  Replaced by “{successor.text}”
                  <IconButton icon={X} label="No replacement" onPress={() => setSuccessor(undefined)} />
                </p>
              )}
              <Button variant={canImportRecords(source) ? 'primary' : 'danger'} onPress={() => void end(close)}>
                Invalidate
              </Button>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
