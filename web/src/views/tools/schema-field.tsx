import { type ReactNode, useId } from 'react';
import fields from '../../components/field.module.css';
import { type EntryProps, type FieldProps, NestedField } from './entry-props.ts';
import { entryOf, limitsOf } from './schema.ts';
import { formatPath } from './paths.ts';
import { EitherEntry, ListEntry, MapEntry, RecordEntry } from './nested-entries.tsx';
import { ChoiceEntry, FlagEntry, JsonEntry, NumberEntry, TextEntry } from './plain-entries.tsx';
import styles from './schema-field.module.css';

const NESTED = new Set(['list', 'record', 'map', 'either']);

/** A field of any kind with its label, its description from the schema, and its error. */
function SchemaField({ label, ...rest }: FieldProps) {
  const { schema, path, isRequired, error } = rest;
  const id = useId();
  const entry = entryOf(schema);
  const limits = limitsOf(schema);
  const isWrong = error !== undefined && error.place === formatPath(path);
  const head = (
    <>
      {label}
      {isRequired && <span className={fields.required}>required</span>}
      {limits !== '' && <span className={fields.limits}>{limits}</span>}
    </>
  );
  const description = (
    <span id={`${id}-description`} className={styles.description}>
      {schema.description !== undefined && entry !== 'either' && (
        <span className={fields.help}>{schema.description}</span>
      )}
      {isWrong && (
        <span className={fields.error} role="alert">
          {error.text}
        </span>
      )}
    </span>
  );
  const body = <Entry id={id} describedBy={`${id}-description`} {...rest} />;
  if (NESTED.has(entry)) {
    return (
      <fieldset className={styles.nested} data-wrong={isWrong || undefined} aria-describedby={`${id}-description`}>
        <legend className={fields.label}>{head}</legend>
        {description}
        {body}
      </fieldset>
    );
  }
  return (
    <div className={fields.field}>
      <label className={fields.label} htmlFor={id}>
        {head}
      </label>
      {body}
      {description}
    </div>
  );
}

function Entry(props: EntryProps) {
  switch (entryOf(props.schema)) {
    case 'text':
      return <TextEntry {...props} />;
    case 'number':
      return <NumberEntry {...props} />;
    case 'choice':
      return <ChoiceEntry {...props} />;
    case 'flag':
      return <FlagEntry {...props} />;
    case 'list':
      return <ListEntry {...props} />;
    case 'record':
      return <RecordEntry {...props} />;
    case 'map':
      return <MapEntry {...props} />;
    case 'either':
      return <EitherEntry {...props} />;
    case 'json':
      return <JsonEntry {...props} />;
  }
}

const NESTED_FIELD = { Field: SchemaField, Entry };

/** Provides the fields of this file to nested inputs. */
export function Fields({ children }: { readonly children: ReactNode }) {
  return <NestedField value={NESTED_FIELD}>{children}</NestedField>;
}
