import { useState } from 'react';
import { Radio, RadioGroup, TextArea, TextField } from 'react-aria-components';
import { Button } from '../../../components/button.tsx';
import { useCanEdit, useSource } from '../../../source/source-context.tsx';
import { mergeObservations } from '../../../mutations/merge.ts';
import inputs from '../../../components/input.module.css';
import { notifyUnsaved, useIsGone, useUnsaved } from '../../../components/unsaved.ts';
import styles from './group-card.module.css';
import { differences, type Group, type Member, suggestedKeeper } from './groups.ts';

interface Props {
  readonly entity: string;
  readonly group: Group;
  readonly onApply: () => void;
  /** Skips the group. */
  readonly onPass: () => void;
}

const SIMILARITY_LABELS: Readonly<Record<string, string>> = {
  cosine: 'similar meaning',
  containment: 'one contains the other',
  exact: 'same words',
};

/** A group of near-duplicates, and the decision about them where the memory can be changed. */
export function GroupCard(props: Props) {
  const { members, likeness, ways } = props.group;
  return (
    <section className={styles.card} aria-label={`${members.length} near-duplicate observations`}>
      <p className={styles.why}>
        {Math.round(likeness * 100)} % similar, {ways.map((way) => SIMILARITY_LABELS[way] ?? way).join(', ')}
      </p>
      {useCanEdit() ? (
        <Decision {...props} />
      ) : (
        <ul className={styles.members}>
          {members.map((member) => (
            <li key={member.id} className={styles.member}>
              <Differing member={member} members={members} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A text in which the words that the others do not have are marked. */
function Differing({
  member: { id, text },
  members,
}: {
  readonly member: Member;
  readonly members: readonly Member[];
}) {
  const others = members.filter((other) => other.id !== id).map((other) => other.text);
  return (
    <span className={styles.text}>
      {differences(text, others).map((piece, index) =>
        piece.differs ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
      )}
    </span>
  );
}

/** One is kept, as it is or reworded; the others are deleted. */
function Decision({ entity, group: { members }, onApply, onPass }: Props) {
  const source = useSource();
  const [keeper, setKeeper] = useState(() => suggestedKeeper(members));
  const [wording, setWording] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const kept = members.find(({ id }) => id === keeper);
  const isGone = useIsGone();
  const discard = useUnsaved(isBusy || wording === kept?.text ? undefined : wording);
  if (kept === undefined) return null;
  const text = wording ?? kept.text;
  const apply = async (): Promise<void> => {
    setBusy(true);
    onApply();
    const isStored = await mergeObservations(
      source,
      entity,
      kept,
      text.trim(),
      members.filter(({ id }) => id !== keeper),
    );
    // The card stays until the list is loaded again; its text is no longer unsaved.
    if (isStored) setWording(undefined);
    else if (wording !== undefined && isGone()) notifyUnsaved(wording);
    setBusy(false);
  };
  return (
    <>
      <RadioGroup
        className={styles.members}
        aria-label="Observation to keep"
        value={String(keeper)}
        onChange={(id) => {
          setKeeper(Number(id));
          setWording(undefined);
        }}
      >
        {members.map((member) => (
          <Radio key={member.id} value={String(member.id)} className={styles.member}>
            <span className={styles.dot} aria-hidden />
            <Differing member={member} members={members} />
            <span className={styles.fate}>
              {member.id === keeper ? (text === member.text ? 'kept' : 'reworded') : 'deleted'}
            </span>
          </Radio>
        ))}
      </RadioGroup>
      {wording !== undefined && (
        <TextField
          className={styles.wording}
          aria-label="New wording"
          value={wording}
          onChange={setWording}
          maxLength={10_000}
          autoFocus
        >
          <TextArea className={inputs.area} rows={3} />
        </TextField>
      )}
      <div className={styles.actions}>
        <Button variant="primary" isDisabled={isBusy || text.trim() === ''} onPress={() => void apply()}>
          {text.trim() === kept.text ? 'Keep this one' : 'Keep with new wording'}
        </Button>
        {wording === undefined ? (
          <Button onPress={() => setWording(kept.text)}>Reword…</Button>
        ) : (
          <Button onPress={() => setWording(undefined)}>Reset wording</Button>
        )}
        <Button
          variant="quiet"
          onPress={() => {
            discard();
            onPass();
          }}
        >
          Keep all
        </Button>
      </div>
    </>
  );
}
