import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../components/button.tsx';
import fields from '../../components/field.module.css';
import { Segments } from '../../components/segments.tsx';
import { type EntryProps, useNested } from './entry-props.ts';
import { entryOf, emptyValue, mapValue, typeOf, variantIndex, variantsOf } from './schema.ts';
import { formatPath } from './paths.ts';
import styles from './schema-field.module.css';

export function RecordEntry({ schema, path, value, error, onChange }: EntryProps) {
  const { Field } = useNested();
  const members = isRecord(value) ? value : {};
  const names = Object.keys(schema.properties ?? {});
  return (
    <div className={styles.members}>
      {names.map((name) => (
        <Field
          key={name}
          label={name}
          schema={schema.properties?.[name] ?? {}}
          path={[...path, name]}
          value={members[name]}
          isRequired={schema.required?.includes(name) ?? false}
          error={error}
          onChange={onChange}
        />
      ))}
    </div>
  );
}

export function ListEntry(props: EntryProps) {
  const { Entry } = useNested();
  const { schema, path, value, isRequired, error, onChange, id, describedBy } = props;
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const item = schema.items ?? {};
  const name = formatPath(path);
  const remove = (index: number): void => {
    const rest = items.filter((_, other) => other !== index);
    onChange(path, rest.length === 0 && !isRequired ? undefined : rest);
  };
  return (
    <div className={styles.members}>
      {items.map((member, index) => {
        const itemPath = [...path, index];
        const isWrong = error?.place === formatPath(itemPath);
        return (
          // Items have no identity other than their index.
          <div
            key={index}
            className={styles.item}
            data-wrong={isWrong || undefined}
            role="group"
            aria-label={`${name} ${index + 1}`}
          >
            <div className={styles.itemBody}>
              <label className="visually-hidden" htmlFor={`${id}-${index}`}>{`${name} ${index + 1}`}</label>
              <Entry
                id={`${id}-${index}`}
                schema={item}
                path={itemPath}
                value={member}
                isRequired
                describedBy={describedBy}
                error={error}
                onChange={onChange}
              />
              {isWrong && (
                <span className={fields.error} role="alert">
                  {error.text}
                </span>
              )}
            </div>
            <IconButton icon={X} label={`Remove ${name} ${index + 1}`} onPress={() => remove(index)} />
          </div>
        );
      })}
      <div>
        <Button icon={Plus} onPress={() => onChange(path, [...items, emptyValue(item)])} aria-label={`Add to ${name}`}>
          Add
        </Button>
      </div>
    </div>
  );
}

/** An input for a map with free keys. */
export function MapEntry({ schema, path, value, isRequired, error, onChange, id, describedBy }: EntryProps) {
  const { Entry } = useNested();
  const pairs = Object.entries(isRecord(value) ? value : {});
  const inner = mapValue(schema) ?? {};
  const set = (next: readonly (readonly [string, unknown])[]): void =>
    onChange(path, next.length === 0 && !isRequired ? undefined : Object.fromEntries(next));
  return (
    <div className={styles.members}>
      {pairs.map(([key, member], index) => (
        <div key={index} className={styles.item}>
          <input
            className={`${fields.input} ${styles.key}`}
            aria-label={`Name ${index + 1}`}
            value={key}
            onChange={(event) =>
              set(pairs.map((pair, other) => (other === index ? [event.target.value, pair[1]] : pair)))
            }
          />
          <div className={styles.itemBody}>
            <label className="visually-hidden" htmlFor={`${id}-${index}`}>{`Value of ${key}`}</label>
            <Entry
              id={`${id}-${index}`}
              schema={inner}
              path={[...path, key]}
              value={member}
              isRequired
              describedBy={describedBy}
              error={error}
              onChange={onChange}
            />
          </div>
          <IconButton
            icon={X}
            label={`Remove ${key}`}
            onPress={() => set(pairs.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <div>
        <Button
          icon={Plus}
          onPress={() => set([...pairs, ['', emptyValue(inner)]])}
          aria-label={`Add to ${formatPath(path)}`}
        >
          Add
        </Button>
      </div>
    </div>
  );
}

/** An input for a value with several variants. */
export function EitherEntry(props: EntryProps) {
  const { Entry } = useNested();
  const { schema, path, value, onChange } = props;
  const variants = variantsOf(schema);
  const index = variantIndex(schema, value);
  const variant = variants[index] ?? {};
  return (
    <div className={styles.members}>
      <Segments
        label={`Variant of ${formatPath(path)}`}
        choices={variants.map((one, number) => ({ id: String(number), title: wordFor(one.description, typeOf(one)) }))}
        chosen={String(index)}
        onChoose={(number) => onChange(path, emptyValue(variants[Number(number)] ?? {}))}
      />
      {entryOf(variant) === 'record' ? (
        <RecordEntry {...props} schema={variant} />
      ) : (
        <Entry {...props} schema={variant} />
      )}
    </div>
  );
}

function wordFor(description: string | undefined, type: string | undefined): string {
  return (description ?? type ?? 'value').replace(/\.$/, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
