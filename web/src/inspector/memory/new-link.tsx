import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { Dialog, DialogTrigger, Heading, Input, Label, Popover, TextField } from 'react-aria-components';
import { addLink } from '../../mutations/memory-links.ts';
import { IconButton } from '../../components/button.tsx';
import inputs from '../../components/input.module.css';
import { LINK_TYPES } from '../../components/memory-words.ts';
import popovers from '../../components/popover.module.css';
import { RecordSearch } from '../../components/record-search.tsx';
import type { LinkRow } from '../../source/explorer-tools.ts';
import { useSource } from '../../source/source-context.tsx';
import form from '../popover-form.module.css';
import { saveNumber } from './number.ts';

const TYPES = [...LINK_TYPES, 'related'];

/** The form for a new link of this memory. */
export function NewLink({ id, links }: { readonly id: string; readonly links: readonly LinkRow[] }) {
  const source = useSource();
  const list = useId();
  const [type, setType] = useState('');
  const [strength, setStrength] = useState('');
  const link = async (to: string, close: () => void): Promise<void> => {
    const add = (given?: number): Promise<boolean> =>
      addLink(source, { from_id: id, to_id: to, type: type.trim(), strength: given }, links);
    if (!(await (strength.trim() === '' ? add() : saveNumber(strength, 'from 0 to 1, such as 0.8', add)))) return;
    setType('');
    setStrength('');
    close();
  };
  return (
    <DialogTrigger>
      <IconButton icon={Plus} label="Add link" />
      <Popover className={`${popovers.popover} ${form.popover}`} placement="bottom end">
        <Dialog className={form.dialog}>
          {({ close }) => (
            <>
              <Heading slot="title">Link this memory</Heading>
              <div className={form.pair}>
                <TextField className={form.field} value={type} onChange={setType} autoFocus>
                  <Label>Type, such as supports</Label>
                  <Input className={`${inputs.box} ${form.input}`} list={list} />
                  <datalist id={list}>
                    {TYPES.map((name) => (
                      <option key={name} value={name} />
                    ))}
                  </datalist>
                </TextField>
                <TextField className={form.field} value={strength} onChange={setStrength}>
                  <Label>Strength</Label>
                  <Input className={`${inputs.box} ${form.input}`} inputMode="decimal" placeholder="1" />
                </TextField>
              </div>
              {type.trim() !== '' && (
                <RecordSearch
                  label="Other memory"
                  placeholder="Find the other memory"
                  finds="memories"
                  without={id}
                  onChoose={({ id: to }) => void link(to, close)}
                />
              )}
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
