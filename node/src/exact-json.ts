/**
 * Messages without loss: a JavaScript number holds neither every integer nor its notation. In a parsed message, ids
 * and progress tokens that would change are texts that no client can send, which {@link restored} replaces by the
 * numbers that they stand for; arguments are kept as the client's own text.
 */
import { randomBytes } from 'node:crypto';

/** Begins a text that stands for JSON. It never leaves the process, so that no stored text can contain it. */
const PREFIX = `json ${randomBytes(16).toString('hex')} `;
const QUOTED_PREFIX = `"${PREFIX}`;
const PREFIX_BYTES = Buffer.from(PREFIX);

const BYTE_ORDER_MARK = '\u{feff}';
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** The texts of arguments, by the objects that they were parsed to. */
const received = new WeakMap<object, string>();

/** Where parts of a message begin and end in its text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The parts of a message that are kept as text. */
interface Spans {
  id?: Span | undefined;
  params?: ParamsSpans | undefined;
}

interface ParamsSpans {
  arguments?: Span | undefined;
  requestId?: Span | undefined;
  context?: { arguments?: Span | undefined } | undefined;
  meta?: { progressToken?: Span | undefined } | undefined;
}

type Fields = Record<string, unknown>;

/**
 * Parses a message, or a list of messages. A byte order mark before it is ignored.
 *
 * @throws SyntaxError if the text is not JSON.
 */
export function parseMessage(text: string): unknown {
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const value: unknown = JSON.parse(json);
  const start = skipSpace(json, 0);
  if (isObject(value)) keep(value, json, start);
  if (Array.isArray(value)) {
    let index = 0;
    eachElement(json, start, (at) => {
      const element: unknown = value[index++];
      return isObject(element) ? keep(element, json, at) : skipValue(json, at);
    });
  }
  return value;
}

/** An object of a message as JSON: the client's own text, if it is the arguments of a request. */
export function textOfArguments(object: object): string {
  return received.get(object) ?? JSON.stringify(object);
}

/** A text that {@link restored} replaces by this JSON, for a value that is serialised before. */
export function standIn(json: string): string {
  return PREFIX + json;
}

/** Replaces the texts that stand for JSON in a serialised message. */
export function restored(text: string): string {
  let at = text.indexOf(QUOTED_PREFIX);
  if (at === -1) return text;
  const parts: string[] = [];
  let done = 0;
  while (at !== -1) {
    const end = skipString(text, at);
    parts.push(text.slice(done, at), (JSON.parse(text.slice(at, end)) as string).slice(PREFIX.length));
    done = end;
    at = text.indexOf(QUOTED_PREFIX, end);
  }
  parts.push(text.slice(done));
  return parts.join('');
}

/** As {@link restored}, for whole messages in UTF-8. */
export function restoredBytes(bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.includes(PREFIX_BYTES) ? Buffer.from(restored(buffer.toString('utf8'))) : bytes;
}

/** Whether a value is an id of a message: a text, or an integer in any notation. */
export function isId(value: unknown): value is string | number {
  if (typeof value !== 'string') return Number.isSafeInteger(value);
  return !value.startsWith(PREFIX) || isIntegral(value.slice(PREFIX.length));
}

/** Keeps the parts of a message that parsing changes. Returns the end of the message. */
function keep(message: Fields, text: string, start: number): number {
  const spans: Spans = {};
  const end = eachMember(text, start, (key, at) => {
    if (key === 'params' && text.charCodeAt(at) === OPEN_OBJECT) {
      spans.params = {};
      return spansOfParams(text, at, spans.params);
    }
    const span = { start: at, end: skipValue(text, at) };
    if (key === 'id') spans.id = span;
    if (key === 'params') spans.params = undefined;
    return span.end;
  });
  keepNumber(message, 'id', text, spans.id);
  const { params } = message;
  if (spans.params === undefined || !isObject(params)) return end;
  keepNumber(params, 'requestId', text, spans.params.requestId);
  keepNumber(params['_meta'], 'progressToken', text, spans.params.meta?.progressToken);
  keepObject(params['arguments'], text, spans.params.arguments);
  keepObject(
    isObject(params['context']) ? params['context']['arguments'] : undefined,
    text,
    spans.params.context?.arguments,
  );
  return end;
}

/** Finds the parts of `params` that are kept. Of a repeated name, the last one counts, as in `JSON.parse`. */
function spansOfParams(text: string, start: number, spans: ParamsSpans): number {
  return eachMember(text, start, (key, at) => {
    const opensObject = text.charCodeAt(at) === OPEN_OBJECT;
    if (key === '_meta') {
      const meta: { progressToken?: Span | undefined } = {};
      spans.meta = meta;
      if (opensObject) return spanOfMember(text, at, 'progressToken', (span) => (meta.progressToken = span));
    }
    if (key === 'context') {
      const context: { arguments?: Span | undefined } = {};
      spans.context = context;
      if (opensObject) return spanOfMember(text, at, 'arguments', (span) => (context.arguments = span));
    }
    const span = { start: at, end: skipValue(text, at) };
    if (key === 'arguments' || key === 'requestId') spans[key] = span;
    return span.end;
  });
}

/** Finds a member of an object. Returns the end of the object. */
function spanOfMember(text: string, start: number, name: string, found: (span: Span) => void): number {
  return eachMember(text, start, (key, at) => {
    const end = skipValue(text, at);
    if (key === name) found({ start: at, end });
    return end;
  });
}

/** Replaces a number by a text that stands for it, if its notation would change or it is not an integer. */
function keepNumber(fields: unknown, name: string, text: string, span: Span | undefined): void {
  if (span === undefined || !isObject(fields)) return;
  const value = fields[name];
  if (typeof value !== 'number') return;
  const json = text.slice(span.start, span.end);
  if (!Number.isSafeInteger(value) || String(value) !== json) fields[name] = standIn(json);
}

function keepObject(object: unknown, text: string, span: Span | undefined): void {
  if (span !== undefined && isObject(object)) received.set(object, text.slice(span.start, span.end));
}

/** Whether a number in JSON's notation is an integer. */
function isIntegral(json: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(json) ?? [];
  const digits = whole + fraction;
  const significant = digits.replace(/0+$/, '');
  if (/^0*$/.test(digits)) return digits !== '';
  return Number(exponent) - fraction.length + (digits.length - significant.length) >= 0;
}

/**
 * Calls `take` with the name and the beginning of the value of each member of an object; it returns the value's end.
 * The text is valid JSON. Returns the end of the object.
 */
function eachMember(text: string, start: number, take: (key: string, at: number) => number): number {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== CLOSE_OBJECT) {
    const end = skipString(text, at);
    const key = text.slice(at + 1, end - 1);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== COLON) throw new SyntaxError('the text is not JSON');
    at = take(key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key, skipSpace(text, at + 1));
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return at + 1;
}

/** As {@link eachMember}, for the elements of a list. */
function eachElement(text: string, start: number, take: (at: number) => number): void {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== CLOSE_LIST) {
    at = skipSpace(text, take(at));
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
}

/** Returns the end of a value. */
function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return skipString(text, start);
  let at = start;
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) {
    while (at < text.length && !endsScalar(text.charCodeAt(at))) at += 1;
    return at;
  }
  let depth = 0;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    at += 1;
    if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return at;
  }
}

/** Returns the end of a string, behind its closing quotation mark. */
function skipString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An even number of backslashes escapes each other, and not the quotation mark.
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}

function endsScalar(code: number): boolean {
  return code <= SPACE || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT;
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
