import { useState } from 'react';
import { Dialog, Form, Heading, Input, Label, Modal, ModalOverlay, TextField } from 'react-aria-components';
import { Button } from '../components/button.tsx';
import inputs from '../components/input.module.css';
import { Problem } from '../components/problem.tsx';
import { useSource } from '../source/source-context.tsx';
import type { ToolError } from '../source/tools.ts';
import { domainId } from './domain-id.ts';
import styles from './new-domain.module.css';
import confirms from '../components/confirm.module.css';

interface Props {
  readonly onMade: (id: string) => void;
  readonly onClose: () => void;
}

/** The dialog that creates a domain. */
export function NewDomain({ onMade, onClose }: Props) {
  const source = useSource();
  const [name, setName] = useState('');
  const [error, setError] = useState<ToolError>();
  const id = domainId(name);
  const make = async (): Promise<void> => {
    const answer = await source.call('create_domain', { id, name: name.trim() });
    if (!answer.ok) {
      setError(answer.error);
      return;
    }
    onMade(answer.value.domain.id);
    onClose();
  };
  return (
    <ModalOverlay
      className={confirms.overlay}
      isOpen
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      isDismissable
    >
      <Modal className={confirms.modal}>
        <Dialog className={confirms.dialog}>
          <Heading slot="title">New domain</Heading>
          <Form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault();
              if (id !== '') void make();
            }}
          >
            <TextField className={styles.field} value={name} onChange={setName} autoFocus>
              <Label>Name, such as the project’s name</Label>
              <Input className={`${inputs.box} ${styles.input}`} />
            </TextField>
            <p className={styles.id}>{id === '' ? ' ' : `Id: ${id}`}</p>
            {error !== undefined && <Problem problem={error} />}
            <div className={confirms.actions}>
              <Button variant="quiet" onPress={onClose}>
                Cancel
              </Button>
              <Button variant="primary" type="submit" isDisabled={id === ''}>
                Create
              </Button>
            </div>
          </Form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
