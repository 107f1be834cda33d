import { Play, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import fields from '../../components/field.module.css';
import { isComposing } from '../../components/is-composing.ts';
import { Problem } from '../../components/problem.tsx';
import { Segments } from '../../components/segments.tsx';
import { useSource } from '../../source/source-context.tsx';
import type { Tool } from '../../source/tools.ts';
import { AnswerPanel, type Called } from './answer-panel.tsx';
import { hasInvalidJson } from './invalid-json.ts';
import { placeOf, put } from './paths.ts';
import { RecordEntry } from './nested-entries.tsx';
import { firstArguments } from './schema.ts';
import { Fields } from './schema-field.tsx';
import styles from './tool-form.module.css';

type Mode = 'form' | 'json';
const MODES: readonly { readonly id: Mode; readonly title: string }[] = [
  { id: 'form', title: 'Form' },
  { id: 'json', title: 'JSON' },
];

/** The form input for each tool, kept until the page is closed. */
export const drafts = new Map<string, Readonly<Record<string, unknown>>>();

/** The form of a tool and its answer. */
export function ToolForm({ tool }: { readonly tool: Tool }) {
  const source = useSource();
  const [args, setArgs] = useState(() => drafts.get(tool.name) ?? firstArguments(tool));
  const [mode, setMode] = useState<Mode>('form');
  const [json, setJson] = useState('');
  const [called, setCalled] = useState<Called>();
  const [isRunning, setRunning] = useState(false);
  const read = mode === 'json' ? parseArguments(json) : { args };
  const problem = called?.answer.ok === false ? called.answer.error : undefined;
  const place = problem === undefined || mode === 'json' ? undefined : placeOf(problem.error, tool.inputSchema);
  const hint = problem?.hint === undefined ? '' : ` ${problem.hint}`;

  const change = (next: Readonly<Record<string, unknown>>): void => {
    setArgs(next);
    drafts.set(tool.name, next);
  };
  // Invalid JSON stays where it was typed: neither mode shows it otherwise, and no call is made without it.
  const isInvalid = mode === 'json' ? read.args === undefined : hasInvalidJson(args);
  const choose = (next: Mode): void => {
    if (isInvalid || read.args === undefined) return;
    if (next === 'json') setJson(JSON.stringify(args, null, 2));
    else change(read.args);
    setMode(next);
  };
  const run = async (): Promise<void> => {
    if (isInvalid || read.args === undefined || isRunning) return;
    if (mode === 'json') change(read.args);
    if (tool.annotations?.destructiveHint === true && !(await agrees(tool))) return;
    setRunning(true);
    const startMillis = performance.now();
    const answer = await source.callByName(tool.name, read.args);
    setCalled({ answer, tookMillis: performance.now() - startMillis });
    setRunning(false);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isComposing(event)) return;
    event.preventDefault();
    void run();
  };
  return (
    <div className={styles.columns}>
      <form
        className={styles.form}
        aria-label={`Arguments of ${tool.name}`}
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <header className={styles.head}>
          <h1>
            {tool.title ?? tool.name} <code>{tool.name}</code>
          </h1>
          <p>{tool.description}</p>
          <ToolBadges tool={tool} />
        </header>
        <div className={styles.bar}>
          <Segments label="Input mode" choices={MODES} chosen={mode} onChoose={choose} />
          <span className={styles.space} />
          <Button variant="quiet" icon={RotateCcw} onPress={() => reset(tool, change, setJson)}>
            Example
          </Button>
          <Button variant="primary" icon={Play} type="submit" isDisabled={isInvalid || isRunning}>
            {isRunning ? 'Running…' : 'Call'}
          </Button>
        </div>
        {mode === 'form' ? (
          <Fields>
            <RecordEntry
              key={tool.name}
              id="arguments"
              schema={tool.inputSchema}
              path={[]}
              value={args}
              isRequired
              describedBy=""
              error={place === undefined || problem === undefined ? undefined : { place, text: problem.error + hint }}
              onChange={(path, value) => change(put(args, path, value) as Record<string, unknown>)}
            />
          </Fields>
        ) : (
          <div className={fields.field}>
            <textarea
              className={`${fields.input} ${fields.code}`}
              aria-label="Arguments as JSON"
              aria-invalid={read.args === undefined}
              rows={16}
              spellCheck={false}
              value={json}
              onChange={(event) => setJson(event.target.value)}
            />
            {read.problem !== undefined && <span className={fields.error}>{read.problem}</span>}
          </div>
        )}
        {mode === 'form' && Object.keys(tool.inputSchema.properties ?? {}).length === 0 && (
          <p className={styles.none}>This tool takes no arguments.</p>
        )}
        {problem !== undefined && place === undefined && <Problem problem={problem} />}
      </form>
      <AnswerPanel called={called} isRunning={isRunning} />
    </div>
  );
}

function ToolBadges({ tool }: { readonly tool: Tool }) {
  const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations ?? {};
  const access = readOnlyHint === true ? 'reads' : destructiveHint === true ? 'deletes' : 'writes';
  return (
    <p className={styles.marks}>
      <span className={styles.mark} data-access={access}>
        {access}
      </span>
      {readOnlyHint !== true && idempotentHint === true && <span className={styles.mark}>idempotent</span>}
      {tool._limbic !== undefined && <span className={styles.mark}>toolset {tool._limbic.toolset}</span>}
    </p>
  );
}

function agrees(tool: Tool): Promise<boolean> {
  return confirm({
    title: `Run ${tool.name}?`,
    text: 'This tool deletes data permanently.',
    action: 'Run',
    isDanger: true,
  });
}

function reset(
  tool: Tool,
  change: (args: Readonly<Record<string, unknown>>) => void,
  setJson: (text: string) => void,
): void {
  const args = firstArguments(tool);
  change(args);
  setJson(JSON.stringify(args, null, 2));
}

/** Parses arguments that were entered as JSON. */
export function parseArguments(text: string): {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly problem?: string;
} {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { args: value as Record<string, unknown> };
    return { problem: 'Arguments must be a JSON object: { … }' };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
