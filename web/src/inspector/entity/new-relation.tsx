import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Dialog, DialogTrigger, Heading, Input, Label, Popover, TextField } from 'react-aria-components';
import { callTool } from '../../mutations/mutations.ts';
import { IconButton } from '../../components/button.tsx';
import { EntitySearch } from '../../components/entity-search.tsx';
import { useSource } from '../../source/source-context.tsx';
import inputs from '../../components/input.module.css';
import popovers from '../../components/popover.module.css';
import form from '../popover-form.module.css';

/** The form for a new relation of this entity. */
export function NewRelation({ name }: { readonly name: string }) {
  const source = useSource();
  const [type, setType] = useState('');
  const [context, setContext] = useState('');
  const [weight, setWeight] = useState('');
  const relate = async (to: string, close: () => void): Promise<void> => {
    const relations = [
      {
        from: name,
        to,
        relationType: type.trim(),
        context: context.trim() === '' ? undefined : context.trim(),
        weight: weight === '' ? undefined : Number(weight),
      },
    ];
    if ((await callTool(source, 'create_relations', { relations })) === undefined) return;
    for (const clear of [setType, setContext, setWeight]) clear('');
    close();
  };
  return (
    <DialogTrigger>
      <IconButton icon={Plus} label="Add relation" />
      <Popover className={`${popovers.popover} ${form.popover}`} placement="bottom end">
        <Dialog className={form.dialog}>
          {({ close }) => (
            <>
              <Heading slot="title" className={form.title}>
                {name} …
              </Heading>
              <TextField className={form.field} value={type} onChange={setType} autoFocus>
                <Label>Type, such as uses</Label>
                <Input className={`${inputs.box} ${form.input}`} />
              </TextField>
              <div className={form.pair}>
                <TextField className={form.field} value={context} onChange={setContext}>
                  <Label>Context (optional)</Label>
                  <Input className={`${inputs.box} ${form.input}`} />
                </TextField>
                <TextField className={form.field} value={weight} onChange={setWeight}>
                  <Label>Weight</Label>
                  <Input
                    className={`${inputs.box} ${form.input}`}
                    type="number"
                    min="0"
                    max="1"
                    step="any"
                    placeholder="1"
                  />
                </TextField>
              </div>
              {type.trim() !== '' && (
                <EntitySearch
                  label="Other entity"
                  placeholder="Find the other entity"
                  onChoose={(to) => void relate(to, close)}
                />
              )}
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
