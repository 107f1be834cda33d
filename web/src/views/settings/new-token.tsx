import { useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import confirms from '../../components/confirm.module.css';
import { CopyButton } from '../../components/copy-button.tsx';
import fields from '../../components/field.module.css';
import { Problem } from '../../components/problem.tsx';
import type { ServerSettings, TokenList } from '../../source/server-settings.ts';
import type { ToolError } from '../../source/tools.ts';
import styles from './settings.module.css';
import { type TokenForm, tokenOf } from './settings-model.ts';

interface Props {
  readonly settings: ServerSettings;
  readonly list: TokenList;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

const EXPIRIES: readonly (readonly [string, string])[] = [
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
];

const EMPTY: TokenForm = { name: '', toolsets: [], readOnly: false, user: '', explorer: false, expires: '90d' };

/** Creates a token and shows its text once. */
export function NewTokenDialog({ settings, list, onCreated, onClose }: Props) {
  const [text, setText] = useState<string>();
  const [error, setError] = useState<ToolError>();
  const [isCreating, setCreating] = useState(false);
  const create = async (form: TokenForm): Promise<void> => {
    if (isCreating) return;
    setCreating(true);
    const answer = await settings.createToken(tokenOf(form, list.toolsets_of_users ?? []));
    setCreating(false);
    setError(answer.ok ? undefined : answer.error);
    if (answer.ok) setText(answer.value);
    // The server may have created the token also if its answer was lost.
    onCreated();
  };
  return (
    <ModalOverlay
      className={confirms.overlay}
      isOpen
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      // Neither a click beside it nor Escape may lose a token that cannot be shown again, or is being created.
      isDismissable={text === undefined && !isCreating}
      isKeyboardDismissDisabled={text !== undefined || isCreating}
    >
      <Modal className={confirms.modal}>
        <Dialog className={confirms.dialog}>
          <Heading slot="title">{text === undefined ? 'New token' : 'Token created'}</Heading>
          {text === undefined ? (
            <TokenFields
              list={list}
              error={error}
              isCreating={isCreating}
              onCreate={(form) => void create(form)}
              onClose={onClose}
            />
          ) : (
            <Created text={text} onClose={onClose} />
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Created({ text, onClose }: { readonly text: string; readonly onClose: () => void }) {
  return (
    <>
      <p>Copy it now: it is not stored and cannot be shown again. Clients send it as a bearer token.</p>
      <div className={styles.secret}>
        <code aria-label="Token">{text}</code>
        <CopyButton label="Copy token" text={() => text} />
      </div>
      <div className={confirms.actions}>
        <Button variant="primary" autoFocus onPress={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}

interface FieldsProps {
  readonly list: TokenList;
  readonly error: ToolError | undefined;
  readonly isCreating: boolean;
  readonly onCreate: (form: TokenForm) => void;
  readonly onClose: () => void;
}

function TokenFields({ list, error, isCreating, onCreate, onClose }: FieldsProps) {
  const [form, setForm] = useState({ ...EMPTY, user: list.user ?? '' });
  const set = (part: Partial<TokenForm>): void => setForm((before) => ({ ...before, ...part }));
  const hasUser = form.user.trim() !== '';
  const toolsets = (hasUser ? list.toolsets_of_users : list.toolsets) ?? [];
  return (
    <form
      className={confirms.answer}
      onSubmit={(event) => {
        event.preventDefault();
        onCreate(form);
      }}
    >
      <label className={fields.field}>
        <span className={fields.label}>Name</span>
        <input
          className={fields.input}
          autoFocus
          required
          maxLength={64}
          pattern="[a-z0-9][a-z0-9._\-]*"
          title="Lower case letters, digits and . _ -"
          value={form.name}
          onChange={({ target }) => set({ name: target.value })}
        />
      </label>
      <label className={fields.field}>
        <span className={fields.label}>User</span>
        <input
          className={fields.input}
          maxLength={200}
          placeholder="all users"
          value={form.user}
          onChange={({ target }) => set({ user: target.value })}
        />
        <span className={fields.help}>With a user, calls reach that user’s memories only, and no graph.</span>
      </label>
      <fieldset className={styles.toolsets}>
        <legend className={fields.label}>Toolsets</legend>
        {toolsets.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={form.toolsets.includes(name)}
              onChange={({ target }) =>
                set({
                  toolsets: target.checked
                    ? [...form.toolsets, name]
                    : form.toolsets.filter((chosen) => chosen !== name),
                })
              }
            />
            {name}
          </label>
        ))}
        <span className={fields.help}>If none is selected, the token has the server’s toolsets.</span>
      </fieldset>
      <label className={styles.check}>
        <input type="checkbox" checked={form.readOnly} onChange={({ target }) => set({ readOnly: target.checked })} />
        Read-only
      </label>
      <label className={styles.check}>
        <input
          type="checkbox"
          disabled={hasUser}
          checked={form.explorer && !hasUser}
          onChange={({ target }) => set({ explorer: target.checked })}
        />
        Opens the explorer, which shows the memories of all users
      </label>
      <label className={fields.field}>
        <span className={fields.label}>Expires</span>
        <select className={fields.input} value={form.expires} onChange={({ target }) => set({ expires: target.value })}>
          {EXPIRIES.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {error !== undefined && <Problem problem={error} />}
      <div className={confirms.actions}>
        <Button variant="quiet" isDisabled={isCreating} onPress={onClose}>
          Cancel
        </Button>
        <Button variant="primary" type="submit" isDisabled={isCreating}>
          Create
        </Button>
      </div>
    </form>
  );
}
