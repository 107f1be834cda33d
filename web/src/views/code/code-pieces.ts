/** Pieces of source code with one colour. */

export type PieceKind = 'keyword' | 'text' | 'number' | 'comment' | 'name' | 'type' | 'meta' | 'plain';

export interface CodePiece {
  readonly text: string;
  readonly what: PieceKind;
}

/** The colours of the classes of highlight.js; other classes inherit the surrounding colour. */
const KINDS: Readonly<Record<string, PieceKind>> = {
  'hljs-attr': 'name',
  'hljs-attribute': 'name',
  'hljs-built_in': 'type',
  'hljs-bullet': 'keyword',
  'hljs-char': 'text',
  'hljs-class': 'type',
  'hljs-code': 'text',
  'hljs-comment': 'comment',
  'hljs-doctag': 'comment',
  'hljs-keyword': 'keyword',
  'hljs-link': 'text',
  'hljs-literal': 'number',
  'hljs-meta': 'meta',
  'hljs-name': 'keyword',
  'hljs-number': 'number',
  'hljs-quote': 'comment',
  'hljs-regexp': 'text',
  'hljs-section': 'name',
  'hljs-selector-attr': 'name',
  'hljs-selector-class': 'name',
  'hljs-selector-id': 'name',
  'hljs-selector-pseudo': 'name',
  'hljs-selector-tag': 'keyword',
  'hljs-string': 'text',
  'hljs-subst': 'plain',
  'hljs-symbol': 'number',
  'hljs-tag': 'plain',
  'hljs-template-tag': 'meta',
  'hljs-title': 'name',
  'hljs-type': 'type',
};

/** The kind of an element by its classes. */
export function pieceKind(classes: unknown, around: PieceKind): PieceKind {
  if (!Array.isArray(classes)) return around;
  if (classes.includes('hljs-title') && classes.includes('class_')) return 'type';
  return classes.map((name) => KINDS[String(name)]).find((kind) => kind !== undefined) ?? around;
}

/** The lines of a text without colours. */
export function plainLines(text: string): readonly (readonly CodePiece[])[] {
  return text.split('\n').map((line) => (line === '' ? [] : [{ text: line, what: 'plain' }]));
}

/** The lines that are shown: without carriage returns, and without the empty one after the last line break. */
export function sourceText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}
