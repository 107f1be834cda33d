/** Mermaid's own parser accepts the diagrams of memory_diagram and shows every stored text unchanged. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Session, connect } from './support/client.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

/** The part of Mermaid that is used here. */
interface Mermaid {
  parse(text: string): Promise<unknown>;
  readonly mermaidAPI: { getDiagramFromText(text: string): Promise<{ readonly type: string; readonly db: Flowchart }> };
}

/** A flowchart as parsed by Mermaid. */
interface Flowchart {
  getVertices(): Map<string, { readonly id: string; readonly text: string }>;
  getEdges(): readonly { readonly start: string; readonly end: string; readonly text: string }[];
  getSubGraphs(): readonly { readonly title: string; readonly nodes: readonly string[] }[];
  getDirection(): string;
}

/** The parts of a page that the parser uses; with only these, it sanitises no HTML. */
const PAGE = {
  document: { nodeType: 9, implementation: {}, createElement: () => ({}) },
  Element: class {},
  HTMLTemplateElement: class {},
};

const ZERO = '00000000-0000-7000-8000-000000000000';

/** Texts that break a flowchart if they are not escaped. */
const HOSTILE: readonly string[] = [
  'a "quoted" word',
  '"]; click n0 call alert()',
  '[brackets] (round) {curly} >flag] [[sub]] ((circle))',
  '`backticks` and ```fences```',
  '"`markdown **bold**`"',
  'end',
  'subgraph end',
  'graph TD; a-->b',
  '%%{init: {"theme": "dark"}}%%',
  '%% a comment',
  '---\ntitle: front matter\n---',
  '<script>alert(1)</script><b onclick="x()">bold</b>',
  '&lt;b&gt; &#35; #35; #quot;',
  'first\nsecond\r\nthird\u2028fourth',
  '👩‍👩‍👧 🏳️‍🌈 emoji',
  'שלום עולם مرحبا \u202eback\u202c \u2066apart\u2069',
  'long '.repeat(2000),
  'x'.repeat(10_000),
  'click n0 href "javascript:alert(1)"',
  'style n0 fill:#f9f;',
  'classDef x fill:#f00; linkStyle 0 stroke:#f00;',
  'a; b; c;',
  'A -->|x| B --- C o--o D x--x E',
  '1. a list',
  '- another',
  '# heading',
  '*bold* _italic_ ~gone~',
  'ﬂ°°34¶ß and ﬂ°quot¶ß',
  '\\" \\n \\\\',
  '$$x^2$$',
  'fa:fa-ban @{ shape: circle }',
  '::: :::class',
  '__proto__ constructor toString',
  '\u0007\u001b[31m\u0085 control',
  'a\u0301\u0301\u0301 z\u0335\u0336',
  '{{',
  '}}',
  '|',
  '||',
  '"',
  '\\',
  '#',
  ';',
  '…',
];

async function mermaid(): Promise<Mermaid> {
  Object.assign(globalThis, { window: PAGE });
  const module = join(PACKAGE, 'node_modules', 'mermaid', 'dist', 'mermaid.core.mjs');
  const { default: loaded } = (await import(pathToFileURL(module).href)) as { default: Mermaid };
  return loaded;
}

/** Reads a diagram, or fails as Mermaid does. */
async function read(text: string): Promise<Flowchart> {
  const real = await mermaid();
  await real.parse(text);
  const { type, db } = await real.mermaidAPI.getDiagramFromText(text);
  assert.equal(type, 'flowchart-v2');
  return db;
}

/** The drawn label: Mermaid decodes character references only then. */
function drawn(label: string): string {
  return label.replace(/ﬂ°°(\d+)¶ß/g, (_, number: string) => String.fromCodePoint(Number(number)));
}

/** A text as a label shows it: in one line, without invisible characters, and truncated. */
function shown(text: string, most: number): string {
  const line = text
    .replace(/\s|\u0085/gu, ' ')
    .replace(/[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu, '')
    .replace(/ +/g, ' ')
    .trim();
  const letters = [...line];
  const cut =
    letters.length <= most
      ? line
      : `${letters
          .slice(0, most - 1)
          .join('')
          .trimEnd()}…`;
  return cut === '' ? '?' : cut;
}

const start = (t: TestContext, ...more: string[]): Promise<Session> =>
  connect(t, ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', ...more]);

/** Stores a memory that all hostile ones are linked to, half of them in a domain with a hostile name. */
async function filled(session: Session): Promise<void> {
  await session.ask('create_domain', { id: '"]end;`%%{init}', name: 'x' });
  await session.ask('memory_store', { id: ZERO, content: 'The middle' });
  for (const [place, content] of HOSTILE.entries()) {
    const start = content.slice(0, 100);
    const id = place % 3 === 0 && /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(start) ? start : `m${place}`;
    const domain = place % 2 === 0 ? 'general' : '"]end;`%%{init}';
    await session.ask('memory_store', { id, content, subject: `s${place}`, domain });
    const type = ['supports', 'end', 'a-b.c: d', 'graph'][place % 4];
    await session.ask('memory_link', {
      from_id: ZERO,
      to_id: id,
      type,
      strength: 0.25,
      bidirectional: place % 5 === 0,
    });
  }
}

test('the parser is the real one: it rejects an unescaped text, also in quotation marks', async () => {
  for (const text of ['"]; click n0 call alert()', 'a "quoted" word', 'subgraph end"]']) {
    await assert.rejects(read(`flowchart LR\n  n0["${text}"]\n`), /Parse error|Lexical error/);
  }
});

test('every text is rendered unchanged', async (t) => {
  const session = await start(t);
  await filled(session);
  const { mermaid: text, omitted } = await session.ask('memory_diagram', { start_id: ZERO, max_label: 200 });
  const chart = await read(String(text));
  assert.equal(omitted, 0);
  const labels = [...chart.getVertices().values()].map((vertex) => drawn(vertex.text));
  assert.deepEqual(labels.sort(), ['The middle', ...HOSTILE.map((content) => shown(content, 200))].sort());
  assert.deepEqual(
    chart
      .getSubGraphs()
      .map((graph) => drawn(graph.title))
      .sort(),
    ['"]end;`%%{init}', 'general'],
  );
  assert.ok(chart.getEdges().length >= HOSTILE.length, 'every link is an arrow');
  const types = new Set(chart.getEdges().map((edge) => drawn(edge.text)));
  assert.ok(types.has('supports 0.25') && types.has('graph') && types.has('a-b.c: d 0.25'), [...types].join('|'));
});

test('every direction and every label length is accepted', async (t) => {
  const session = await start(t);
  await filled(session);
  for (const direction of ['LR', 'TD', 'TB', 'RL', 'BT']) {
    for (const max_label of [1, 2, 7, 50, 500]) {
      const { mermaid: text } = await session.ask('memory_diagram', { start_id: ZERO, direction, max_label });
      const chart = await read(String(text));
      assert.equal(chart.getDirection(), direction === 'TD' ? 'TB' : direction);
      assert.ok(String(text).length < 50_000, 'Mermaid draws no more');
    }
  }
});

test('a memory with too many links reports how many are omitted', async (t) => {
  const session = await start(t);
  await session.ask('memory_store', { id: ZERO, content: 'The middle' });
  const relationships = { supports: [{ targetId: ZERO }] };
  const memories = Array.from({ length: 150 }, (_, place) => ({
    content: `«${place}» ${'☃'.repeat(300)}`,
    relationships,
  }));
  await session.ask('memory_store', { memories });
  const { mermaid: text, omitted } = await session.ask('memory_diagram', { start_id: ZERO, max_label: 300 });
  const count = (await read(String(text))).getVertices().size;
  assert.equal(count + Number(omitted), 151);
  assert.ok(count > 1 && String(text).length < 50_000);
});

test('Memory Graph renders the same', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const ours = await connect(t, ['--db', db, '--no-model']);
  await filled(ours);
  const theirs = await connect(t, ['--db', db, '--no-model', '--compat', 'memory-graph']);
  const { mermaid: mine } = await ours.ask('memory_diagram', { start_id: ZERO });
  assert.equal((await theirs.ask('generate_mermaid_graph', { startNodeId: ZERO }))['mermaid'], mine);
  const contentFormat = { maxLength: 5, truncationSuffix: '"]; end', includeTimestamp: true, includeId: true };
  const { mermaid: marked } = await theirs.ask('generate_mermaid_graph', { startNodeId: ZERO, contentFormat });
  const labels = [...(await read(String(marked))).getVertices().values()].map((vertex) => drawn(vertex.text));
  assert.ok(
    labels.some((label) => /^The"\]; end \(\d{4}-.*Z\) \[0000/.test(label)),
    labels.join('\n'),
  );
});
