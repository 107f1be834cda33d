import { FileCode, Network } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import { CodeLinks } from '../../components/code-links.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Problem } from '../../components/problem.tsx';
import type { Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { type Relation, type RelationTitle, relationsOf, type SymbolRow } from '../../views/code/call-model.ts';
import {
  callsParams,
  placeParams,
  projectOf,
  qualifiedName,
  SYMBOL,
  symbolChange,
} from '../../views/code/code-url-state.ts';
import { SymbolIcon } from '../../views/code/symbol-icon.tsx';
import { SymbolLine } from '../../views/code/symbol-line.tsx';
import { useReloadWithCode } from '../../views/code/use-reload-on.ts';
import { Section } from '../section.tsx';
import styles from './symbol-inspector.module.css';

const MAX_EDGES = 300;

/** Lists whose lines lead to the reference; the others lead to the definition. */
const INWARD: readonly RelationTitle[] = ['Called by', 'Implemented by', 'Referenced by'];

/** The inspector of a symbol of source code: signature, documentation, and relations. */
export function SymbolInspector({ id }: { readonly id: string }) {
  const inward = useTool('symbol_graph', { symbol_id: id, action: 'references', limit: MAX_EDGES });
  const outward = useTool('symbol_graph', { symbol_id: id, action: 'related', direction: 'out', limit: MAX_EDGES });
  useReloadWithCode(inward.reload, outward.reload);
  const error = inward.error ?? outward.error;
  const retry = (): void => {
    inward.reload();
    outward.reload();
  };
  if (error !== undefined) return <Problem problem={error} onRetry={retry} />;
  const [symbol] = inward.data?.nodes ?? [];
  if (symbol?.symbol_id !== id || outward.data?.nodes[0]?.symbol_id !== id || inward.data === undefined)
    return <div className={styles.loading} aria-busy="true" />;
  const lists = relationsOf(id, [inward.data, outward.data]);
  const { memories = [] } = inward.data;
  const isCut = inward.data.truncated || outward.data.truncated;
  return (
    <div>
      <Head symbol={symbol} />
      {memories.length > 0 && <Memories memories={memories} />}
      {lists.map(([title, relations]) => (
        <Section key={title} title={title} count={relations.length}>
          <ul>
            {relations.map((relation) => (
              <li key={relation.key}>
                <RelationLine relation={relation} isInward={INWARD.includes(title)} />
              </li>
            ))}
          </ul>
        </Section>
      ))}
      {lists.length === 0 && <p className={styles.none}>No relations are known.</p>}
      {isCut && <p className={styles.none}>There are more relations than are shown.</p>}
    </div>
  );
}

/** The memories of a symbol, its file or what it calls. */
function Memories({ memories }: { readonly memories: NonNullable<Output<'symbol_graph'>['memories']> }) {
  const { hrefOf } = useRoute();
  return (
    <Section title="Memories" count={memories.length}>
      <ul className={styles.memories}>
        {memories.map(({ id, text, ...link }) => (
          <li key={id}>
            <a href={hrefOf({ selection: { kind: 'memory', id } })}>{text}</a>
            <CodeLinks links={[link]} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Head({ symbol }: { readonly symbol: SymbolRow }) {
  const { route, go, hrefOf } = useRoute();
  const { symbol_id: id, name, symbol_type, file_path: path, start_line, end_line, signature, doc, parent } = symbol;
  const project = projectOf(id);
  const isDrawn = route.view === 'code' && route.params['show'] === 'calls';
  return (
    <div className={styles.head}>
      <h2 className={styles.name}>
        <SymbolIcon type={symbol_type} />
        {name}
        <CopyButton label="Copy symbol id" text={() => id} />
      </h2>
      <p className={styles.place}>
        {symbol_type} in{' '}
        <a href={hrefOf(symbolChange(symbol))}>
          {path}:{start_line}
          {end_line > start_line ? `–${end_line}` : ''}
        </a>
      </p>
      {parent !== undefined && (
        <p className={styles.place}>
          part of <a href={hrefOf({ selection: { kind: SYMBOL, id: parent } })}>{qualifiedName(parent, path)}</a>
        </p>
      )}
      <pre className={styles.signature}>{signature}</pre>
      {doc !== undefined && <p className={styles.doc}>{doc}</p>}
      <div className={styles.actions}>
        {isDrawn ? (
          <Button icon={FileCode} onPress={() => go(symbolChange(symbol))}>
            Show source
          </Button>
        ) : (
          <Button icon={Network} onPress={() => go({ view: 'code', params: callsParams(project) })}>
            Draw calls
          </Button>
        )}
      </div>
    </div>
  );
}

function RelationLine({ relation, isInward }: { readonly relation: Relation; readonly isInward: boolean }) {
  const { route, hrefOf } = useRoute();
  const { symbol, name, isLikely, path, line, more } = relation;
  const project = projectOf(relation.key);
  const isDrawn = route.view === 'code' && route.params['show'] === 'calls';
  const selection = symbol === undefined ? undefined : { kind: SYMBOL, id: symbol.symbol_id };
  // In the drawn calls, another symbol becomes the centre.
  const href =
    isDrawn && selection !== undefined
      ? hrefOf({ selection })
      : isInward || symbol === undefined
        ? hrefOf({ view: 'code', params: placeParams(project, path, line), ...(selection && { selection }) })
        : hrefOf(symbolChange(symbol));
  const place = isInward || symbol === undefined ? `${path}:${line}` : `${symbol.file_path}:${symbol.start_line}`;
  return (
    <SymbolLine
      href={href}
      type={symbol?.symbol_type ?? 'module'}
      name={symbol === undefined ? name : qualifiedName(symbol.symbol_id, symbol.file_path)}
      place={more === 0 ? place : `${place} and ${more} more`}
      isLikely={isLikely}
    />
  );
}
