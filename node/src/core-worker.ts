/** The core's thread: runs calls in order of arrival and processes the embedding queue between them. */
import { setImmediate as turnOfLoop, setTimeout as sleep } from 'node:timers/promises';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { CallAnswer } from 'limbic-shell/answer.ts';
import { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { EmbeddingWorker } from 'limbic-shell/embedding-worker.ts';
import {
  initSync,
  prompts,
  resource_templates,
  resources,
  tools,
  without_secrets,
} from 'limbic-pkg/core/limbic_core.js';
import { LATER_STEP, OPENING, sizeOf } from './call-limits.ts';
import { Database } from './core/database.ts';
import { type FileCallOrder, FileCalls } from './core/file-calls.ts';
import { Indexer } from './core/indexer.ts';
import { complete, getPrompt, hangForTest, readResource, runCall, runHook } from './core/run-call.ts';
import { SourceWatch } from './core/source-watch.ts';
import type { CoreStart, FromCore, ToCore, ToolAccess } from './messages.ts';
import { encoderPort } from './encoder-port.ts';
import { readLarge } from './large-file.ts';
import { log } from './log.ts';
import { loadCoreToServe, optimizeInTurn } from './wasm-flags.ts';

/** Interval for checking the embedding queue: another process may have added entries and exited. */
const POLL_MILLIS = 2000;
/** Delay before the embedding queue is processed after a call, so that the answer is delivered first. */
const IDLE_DELAY_MILLIS = 5;

/** The answer to calls that are not run because the server ends. */
const STOPPING = JSON.stringify({
  error: 'The call was not run: this server is shutting down',
  code: 'stopping',
  hint: 'Call again when it was started again',
});

/** The access of the explorer, which may have the whole database. */
const ALL_USERS: ToolAccess = { isForAllUsers: true };

/** Messages handled between two steps of a call that reads a file. */
const MESSAGES_PER_STEP = 64;

const settings = workerData as CoreStart;
const database = new Database(settings, settings.sessions, settings);
const link = new EncoderLink();
const fileCalls = new FileCalls();
const waiting: ToCore[] = [];
let serving = false;
let hasServed = false;
const idle: (() => void)[] = [];
let broken = false;
/** The call whose preparation has begun. */
let preparing: number | undefined;
/** The same, if it was cancelled. */
let cancelledCall: number | undefined;
const embeddingWorker = new EmbeddingWorker(link, {
  idleCore: () => (serving || !hasServed ? undefined : database.current),
  whenIdle: () => (serving ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  rest: () => sleep(IDLE_DELAY_MILLIS),
  turnOfLoop: () => turnOfLoop(),
  trapped,
  waits: ({ error }) => log(`the embedding queue is paused: ${error}`),
  left: () => {},
});
const indexer = new Indexer({
  idleCore: () => (serving || !hasServed ? undefined : database.current),
  turnOfLoop: () => turnOfLoop(),
  done: () => {
    database.restCode();
    sourceWatch.update();
  },
  trapped,
  waits: ({ error }) => log(`the code index is paused: ${error}`),
});
const sourceWatch = new SourceWatch({
  idleCore: () => (serving || !hasServed ? undefined : database.current),
  turnOfLoop: () => turnOfLoop(),
  changed: () => indexer.wake(),
  trapped,
  failed: (reason) => log(reason),
});
const startMillis = performance.now();
let servedMillis = startMillis;
if (!settings.runsQueue || settings.drainsQueue) embeddingWorker.stop();
if (!settings.runsQueue || settings.drainsQueue || settings.code === undefined) indexer.stop();
setInterval(wakeIdleWork, POLL_MILLIS).unref();

/** Resumes the background work for times without calls. */
function wakeIdleWork(): void {
  retireIfLarge();
  if (settings.runsQueue && hasServed && !broken) hangForTest(database.current, settings, 'background');
  embeddingWorker.wake();
  indexer.wake();
}

/** Closes the database and requests its replacement, if the module uses too much memory and is idle. */
function retireIfLarge(): void {
  const { memoryLimit: limit } = settings;
  const { byteLength: bytes } = module.memory.buffer;
  if (limit === undefined || bytes <= limit.bytes || broken || serving || !hasServed) return;
  const now = performance.now();
  if (now - servedMillis < limit.idleMillis) return;
  if (settings.followsLargeOne === true && now - startMillis < limit.restMillis) return;
  try {
    database.close();
  } catch (error) {
    trapped(error);
    return;
  }
  broken = true;
  embeddingWorker.stop();
  indexer.stop();
  sourceWatch.stop();
  post({ type: 'retired', bytes });
}

async function serve(): Promise<void> {
  if (serving) return;
  serving = true;
  let handled = 0;
  while (!broken && (waiting.length > 0 || fileCalls.count > 0)) {
    takeArrived();
    if (broken) break;
    const message = fileCalls.count > 0 && handled >= MESSAGES_PER_STEP ? undefined : nextMessage();
    handled = message === undefined ? 0 : handled + 1;
    if (message !== undefined) await handle(message);
    else if (fileCalls.count > 0) step();
    // Handle messages that have arrived (a cancellation, an encoder) before the next call.
    await turnOfLoop();
  }
  serving = false;
  post({ type: 'running', id: undefined });
  hasServed = true;
  servedMillis = performance.now();
  for (const resolve of idle.splice(0)) resolve();
  wakeIdleWork();
}

/** Takes the messages that have arrived: a call whose cancellation is among them is not run. */
function takeArrived(): void {
  if (parentPort === null) return;
  for (let next = receiveMessageOnPort(parentPort); next !== undefined; next = receiveMessageOnPort(parentPort)) {
    receive(next.message as ToCore);
  }
}

/** Whether the call that is being prepared was cancelled, or is run by the thread that replaces this one. */
function isCancelled(id: number): boolean {
  takeArrived();
  return broken || cancelledCall === id;
}

/** Returns the next message; `close` waits until no call reads a file. */
function nextMessage(): ToCore | undefined {
  return waiting[0]?.type === 'close' && fileCalls.count > 0 ? undefined : waiting.shift();
}

/** Runs one step of the first call that reads a file. */
function step(): void {
  const first = fileCalls.first;
  const stored = fileCalls.firstStored;
  post({ type: 'running', id: first?.id, fileBytes: fileCalls.firstBytes, stored });
  if (stored !== undefined) hangForTest(database.current, settings, LATER_STEP);
  try {
    if (stored !== undefined && settings.testTrap === LATER_STEP) database.open().trap();
    database.setAccess(first?.access);
    const done = fileCalls.step(database.open());
    if (done === undefined) return;
    answerCall(done.order, done.answer);
  } catch (error) {
    trapped(error, first?.id);
    return;
  }
  finish();
}

function answerCall({ id, session }: FileCallOrder, answer: CallAnswer): void {
  const domain = session === undefined ? undefined : database.domainOf(session);
  post({ type: 'answer', id, ...answer, domain });
}

/** Cancels a call that reads a file, if it has not completed. */
function cancel(id: number): void {
  if (!fileCalls.has(id)) return;
  try {
    const answer = fileCalls.cancel(database.open(), id);
    if (answer !== undefined) post({ type: 'answer', id, ...answer });
  } catch (error) {
    trapped(error, id);
  }
}

async function handle(message: ToCore): Promise<void> {
  // Calls and hooks may wait for the queue first, which is not part of them.
  if (message.type === 'hook') post({ type: 'running', id: undefined });
  else if (message.type === 'database') post({ type: 'running', id: message.id, fileBytes: sizeOf(settings.db) });
  else if (message.type !== 'call') post({ type: 'running', id: 'id' in message ? message.id : undefined });
  switch (message.type) {
    case 'call':
      preparing = message.id;
      try {
        if (settings.drainsQueue && settings.code !== undefined) indexer.drain(() => database.open());
        if (broken) break;
        if (settings.drainsQueue) await embeddingWorker.drain(() => database.open());
        post({ type: 'running', id: message.id });
        const progress = (done: number, total: number): void => post({ type: 'progress', id: message.id, done, total });
        database.setAccess(message.access);
        const context = { database, link, settings, fileCalls, sourceWatch, progress, isCancelled };
        const answer = await runCall(context, message);
        if (broken) break;
        if (answer !== undefined) answerCall(message, answer);
        // The first step completes the import of a short file before the next call.
        else if (fileCalls.count === 1) step();
      } catch (error) {
        trapped(error, message.id);
        break;
      }
      finish();
      break;
    case 'tools':
      post({ type: 'answer', id: message.id, isError: false, text: tools(database.options(message.access)) });
      break;
    case 'resources': {
      const options = database.options(message.access);
      const text = `{"resources":${resources(options)},"resourceTemplates":${resource_templates(options)},"prompts":${prompts(options)}}`;
      post({ type: 'answer', id: message.id, isError: false, text });
      break;
    }
    case 'resource':
      try {
        database.setAccess(message.access);
        post({ type: 'answer', id: message.id, ...readResource({ database, settings }, message.uri) });
      } catch (error) {
        trapped(error, message.id);
      }
      break;
    case 'database':
      answerWith(message.id, () => {
        database.setAccess(ALL_USERS);
        const bytes = database.open().export_database();
        return { isError: false, text: '', bytes };
      });
      break;
    case 'prompt':
      try {
        database.setAccess(message.access);
        post({ type: 'answer', id: message.id, ...getPrompt({ database, settings }, message) });
      } catch (error) {
        trapped(error, message.id);
      }
      break;
    case 'hook':
      try {
        if (settings.drainsQueue) await embeddingWorker.drain(() => database.open());
        post({ type: 'running', id: message.id });
        database.setAccess(message.access);
        post({ type: 'answer', id: message.id, ...(await runHook({ database, link, settings }, message)) });
      } catch (error) {
        trapped(error, message.id);
      }
      break;
    case 'complete':
      try {
        database.setAccess(message.access);
        post({ type: 'answer', id: message.id, ...complete({ database, settings }, message) });
      } catch (error) {
        trapped(error, message.id);
      }
      break;
    case 'end-session':
      try {
        database.endSession(message.session);
      } catch (error) {
        trapped(error);
      }
      break;
    case 'close':
      sourceWatch.stop();
      database.close();
      post({ type: 'closed' });
      break;
  }
}

/** Performs the writes that a call has deferred until after its answer. */
function finish(): void {
  try {
    database.current?.finish();
  } catch (error) {
    const failure = knownFailure(error);
    if (failure === undefined) trapped(error);
    else log(`a search was answered but not logged: ${failure.error}`);
  }
}

/** Sends the result of `work`, or its failure, as the answer. */
function answerWith(id: number, work: () => CallAnswer & { readonly bytes?: Uint8Array }): void {
  try {
    const answer = work();
    post({ type: 'answer', id, ...answer }, answer.bytes === undefined ? [] : [answer.bytes.buffer as ArrayBuffer]);
  } catch (error) {
    const failure = knownFailure(error);
    if (failure === undefined) trapped(error, id);
    else post({ type: 'answer', id, isError: true, text: JSON.stringify(failure) });
  }
}

function trapped(error: unknown, id?: number): void {
  broken = true;
  waiting.length = 0;
  embeddingWorker.stop();
  indexer.stop();
  sourceWatch.stop();
  database.abandon();
  post({ type: 'trapped', id, reason: textOf(error) });
}

function post(message: FromCore, transfer: ArrayBuffer[] = []): void {
  if (message.type === 'answer' && message.isError && message.text.includes('"code":"database_moved"'))
    database.reopen();
  parentPort?.postMessage(message, transfer);
}

function receive(message: ToCore): void {
  // The main thread passes unanswered calls to the replacement thread.
  if (broken) return;
  switch (message.type) {
    case 'encoder':
      link.attach(encoderPort(message.port));
      break;
    case 'encoder-gone':
      link.giveUp();
      break;
    case 'cancel': {
      const index = waiting.findIndex(
        (other) => (other.type === 'call' || other.type === 'hook') && other.id === message.id,
      );
      // The client no longer expects an answer, but the main thread does.
      if (index !== -1) post({ type: 'answer', id: message.id, isError: true, text: '{}' });
      if (index !== -1) waiting.splice(index, 1);
      else {
        // A hook cancels itself after its answer, too.
        if (message.id === preparing) cancelledCall = message.id;
        cancel(message.id);
      }
      break;
    }
    case 'version':
      // Answered immediately: it reads one number and must not wake the embedding queue.
      answerWith(message.id, () => ({ isError: false, text: String(database.version()) }));
      break;
    case 'without-secrets':
      answerWith(message.id, () => {
        const shown = message.texts.map((text) => without_secrets(text, message.maxChars));
        return { isError: false, text: JSON.stringify(shown) };
      });
      break;
    case 'abort-pending':
      while (fileCalls.first !== undefined && !broken) cancel(fileCalls.first.id);
      for (const other of waiting.splice(0)) {
        if ('id' in other) post({ type: 'answer', id: other.id, isError: true, text: STOPPING });
      }
      waiting.push({ type: 'close' });
      break;
    default:
      waiting.push(message);
      void serve();
  }
}

parentPort?.on('message', receive);

const load = () => initSync({ module: readLarge(settings.wasm) });
if (settings.setsFlags && settings.code !== undefined) optimizeInTurn();
const module = settings.setsFlags ? loadCoreToServe(load) : load();
hangForTest(undefined, settings, OPENING);
database.tryOpen(trapped);
if (!broken) post({ type: 'opened' });
