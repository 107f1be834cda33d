import { useState } from 'react';
import fields from '../../components/field.module.css';
import { formatPath } from './paths.ts';
import type { EntryProps } from './entry-props.ts';
import { InvalidJson, parseJsonField } from './invalid-json.ts';

/** Texts that may be longer than this get a multi-line field. */
const MAX_LINE = 600;
const MAX_ROWS = 10;
const CHARACTERS_PER_ROW = 70;

function attributes({ id, path, describedBy, error, isRequired }: EntryProps) {
  return {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': error?.place === formatPath(path),
    'aria-required': isRequired,
    className: fields.input,
    spellCheck: false,
    autoComplete: 'off',
  };
}

/** An input for text; an optional empty text is omitted from the call. */
export function TextEntry(props: EntryProps) {
  const { schema, path, value, isRequired, onChange } = props;
  const text = typeof value === 'string' ? value : '';
  const onText = (next: string): void => onChange(path, next === '' && !isRequired ? undefined : next);
  if ((schema.maxLength ?? 0) <= MAX_LINE) {
    return <input type="text" {...attributes(props)} value={text} onChange={(event) => onText(event.target.value)} />;
  }
  const rows = Math.min(
    MAX_ROWS,
    Math.max(2, Math.ceil(text.length / CHARACTERS_PER_ROW) + text.split('\n').length - 1),
  );
  return <textarea {...attributes(props)} rows={rows} value={text} onChange={(event) => onText(event.target.value)} />;
}

/** An input for numbers. Other input is sent unchanged, so that the tool reports the error. */
export function NumberEntry(props: EntryProps) {
  const { schema, path, value, onChange } = props;
  const [draft, setDraft] = useState<string>();
  const shown = draft ?? (value === undefined ? '' : String(value));
  const onText = (text: string): void => {
    setDraft(text);
    const isNumber = text.trim() !== '' && Number.isFinite(Number(text));
    onChange(path, text.trim() === '' ? undefined : isNumber ? Number(text) : text);
  };
  const placeholder = typeof schema.default === 'number' ? String(schema.default) : undefined;
  return (
    <input
      type="text"
      inputMode="decimal"
      {...attributes(props)}
      placeholder={placeholder}
      value={shown}
      onChange={(event) => onText(event.target.value)}
      onBlur={() => setDraft(undefined)}
    />
  );
}

export function ChoiceEntry(props: EntryProps) {
  const { schema, path, value, isRequired, onChange } = props;
  const choices = schema.enum ?? [];
  const index = choices.indexOf(value);
  return (
    <select
      {...attributes(props)}
      value={index}
      onChange={(event) => onChange(path, choices[Number(event.target.value)])}
    >
      {(!isRequired || index < 0) && (
        <option value={-1}>{schema.default === undefined ? 'not set' : `default: ${String(schema.default)}`}</option>
      )}
      {choices.map((choice, index) => (
        <option key={String(choice)} value={index}>
          {String(choice)}
        </option>
      ))}
    </select>
  );
}

export function FlagEntry(props: EntryProps) {
  const { schema, path, value, isRequired, onChange } = props;
  const shown = value === true ? 'yes' : value === false ? 'no' : '';
  return (
    <select
      {...attributes(props)}
      value={shown}
      onChange={(event) => onChange(path, event.target.value === '' ? undefined : event.target.value === 'yes')}
    >
      {!isRequired && (
        <option value="">
          {schema.default === undefined ? 'not set' : `default: ${schema.default === true ? 'yes' : 'no'}`}
        </option>
      )}
      <option value="yes">yes</option>
      <option value="no">no</option>
    </select>
  );
}

/**
 * A JSON input, for values whose schema does not determine another one. It shows the text as typed while that is the
 * value; an invalid text is the value itself, so that the form is not sent without it.
 */
export function JsonEntry(props: EntryProps) {
  const { path, value, onChange } = props;
  const [typed, setTyped] = useState('');
  const isInvalid = value instanceof InvalidJson;
  const text = isInvalid ? value.text : isSame(parseJsonField(typed), value) ? typed : (JSON.stringify(value) ?? '');
  const onText = (next: string): void => {
    setTyped(next);
    onChange(path, parseJsonField(next));
  };
  return (
    <>
      <textarea
        {...attributes(props)}
        {...(isInvalid && { 'aria-invalid': true })}
        className={`${fields.input} ${fields.code}`}
        rows={3}
        value={text}
        onChange={(event) => onText(event.target.value)}
        placeholder="JSON"
      />
      {isInvalid && (
        <span className={fields.error} role="status">
          This is not valid JSON yet.
        </span>
      )}
    </>
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return !(a instanceof InvalidJson) && JSON.stringify(a) === JSON.stringify(b);
}
