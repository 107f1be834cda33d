import { RecordSearch } from './record-search.tsx';

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly onChoose: (name: string) => void;
  readonly autoFocus?: boolean;
  /** Whether to suggest the most used entities before the user types. */
  readonly suggests?: boolean;
}

/** Finds an entity. */
export function EntitySearch({ onChoose, ...rest }: Props) {
  return <RecordSearch {...rest} finds="entities" onChoose={({ id }) => onChoose(id)} />;
}
