import { type ComponentType, createContext, useContext } from 'react';
import type { JsonSchema } from '../../source/tools.ts';
import type { Path } from './paths.ts';

/** An error at a path of the arguments. */
export interface PlacedError {
  readonly place: string;
  readonly text: string;
}

export interface EntryProps {
  readonly id: string;
  readonly schema: JsonSchema;
  readonly path: Path;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly describedBy: string;
  readonly error: PlacedError | undefined;
  readonly onChange: (path: Path, value: unknown) => void;
}

export interface FieldProps
  extends Pick<EntryProps, 'schema' | 'path' | 'value' | 'isRequired' | 'error' | 'onChange'> {
  readonly label: string;
}

/** Components for nested values: with and without a label. */
interface Nested {
  readonly Field: ComponentType<FieldProps>;
  readonly Entry: ComponentType<EntryProps>;
}

/**
 * Provides inputs of lists and records with the components for their members, which may be lists and records
 * themselves.
 */
export const NestedField = createContext<Nested | undefined>(undefined);

export function useNested(): Nested {
  const nested = useContext(NestedField);
  if (nested === undefined) throw new Error('useNested must be called below a NestedField');
  return nested;
}
