/** Syntax colours of source code, by the grammars of highlight.js. */
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scala from 'highlight.js/lib/languages/scala';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { type CodePiece, type PieceKind, pieceKind, plainLines } from './code-pieces.ts';

/** Grammars by the index's names of languages. */
const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  go,
  html: xml,
  java,
  javascript,
  json,
  kotlin,
  lua,
  markdown,
  php,
  python,
  ruby,
  rust,
  scala,
  sql,
  swift,
  toml: ini,
  tsx: typescript,
  typescript,
  // Grammars that others embed.
  xml,
  yaml,
});

/** Longer texts are shown without colours, so that the page stays responsive. */
const MAX_CHARS = 400_000;

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** Splits a text into lines of pieces; concatenated with line breaks, they are the unchanged text. */
export function highlightSource(text: string, language: string): readonly (readonly CodePiece[])[] {
  if (text.length > MAX_CHARS || !lowlight.registered(language)) return plainLines(text);
  const lines: CodePiece[][] = [[]];
  const add = (value: string, what: PieceKind): void => {
    for (const [index, part] of value.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ text: part, what });
    }
  };
  const walk = (nodes: readonly Node[], around: PieceKind): void => {
    for (const node of nodes) {
      if (node.type === 'text') add(node.value, around);
      else if (node.type === 'element') walk(node.children, pieceKind(node.properties['className'], around));
    }
  };
  walk(lowlight.highlight(language, text).children, 'plain');
  return lines;
}
