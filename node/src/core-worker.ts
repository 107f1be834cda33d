/** The core's thread: serves calls in the order of their arrival and works the embedding queue off between them. */
import { readFileSync } from 'node:fs';
import { setImmediate as turnOfLoop, setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { CallAnswer } from 'limbic-shell/answer.ts';
import { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { Pump } from 'limbic-shell/pump.ts';
import { initSync, prompts, resource_templates, resources, tools } from 'limbic-pkg/core/limbic_core.js';
import { Database } from './core/database.ts';
import { type FileCallOrder, FileCalls } from './core/file-calls.ts';
import { complete, getPrompt, readResource, runCall } from './core/run-call.ts';
import type { CoreStart, FromCore, ToCore } from './messages.ts';
import { encoderPort } from './encoder-port.ts';
import { log } from './log.ts';

/** Another server on the file may have left something to encode, and may be gone. */
const POLL_MILLIS = 2000;
/** Work that begins at once competes with what was just answered for the processor. */
const IDLE_DELAY_MILLIS = 5;

/** A call that reads a file makes a step after so many other messages at the latest. */
const MESSAGES_PER_STEP = 64;

const settings = workerData as CoreStart;
const database = new Database(settings, settings.sessions);
const link = new EncoderLink();
const fileCalls = new FileCalls();
const waiting: ToCore[] = [];
let serving = false;
let hasServed = false;
const idle: (() => void)[] = [];
let broken = false;
const pump = new Pump(link, {
  idleCore: () => (serving || !hasServed ? undefined : database.current),
  whenIdle: () => (serving ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  rest: () => sleep(IDLE_DELAY_MILLIS),
  turnOfLoop: () => turnOfLoop(),
  trapped,
  waits: ({ error }) => log(`the embedding queue waits: ${error}`),
  left: () => {},
});
if (!settings.runsQueue || settings.drainsQueue) pump.stop();
setInterval(() => pump.wake(), POLL_MILLIS).unref();

async function serve(): Promise<void> {
  if (serving) return;
  serving = true;
  let handled = 0;
  while (!broken && (waiting.length > 0 || fileCalls.count > 0)) {
    const message = fileCalls.count > 0 && handled >= MESSAGES_PER_STEP ? undefined : nextMessage();
    handled = message === undefined ? 0 : handled + 1;
    if (message === undefined) step();
    else await handle(message);
    // What arrived meanwhile (a cancellation, an encoder) must be seen while there is still something to do.
    await turnOfLoop();
  }
  serving = false;
  hasServed = true;
  for (const resolve of idle.splice(0)) resolve();
  pump.wake();
}

/** The database is closed only when no call reads a file any more. */
function nextMessage(): ToCore | undefined {
  return waiting[0]?.type === 'close' && fileCalls.count > 0 ? undefined : waiting.shift();
}

/** Goes one step on with the calls that read a file. */
function step(): void {
  const first = fileCalls.first;
  try {
    database.setToolsets(first?.toolsets);
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
  const domain = session === undefined ? undefined : database.current?.session_domain(session);
  post({ type: 'answer', id, ...answer, domain });
}

/** Makes no further step of a call, if it reads a file and is not over. */
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
  switch (message.type) {
    case 'call':
      try {
        if (settings.drainsQueue) await pump.drain(() => database.open());
        const progress = (done: number, total: number): void => post({ type: 'progress', id: message.id, done, total });
        database.setToolsets(message.toolsets);
        const answer = await runCall({ database, link, settings, fileCalls, progress }, message);
        if (answer !== undefined) answerCall(message, answer);
        // A short file is done before the next call.
        else if (fileCalls.count === 1) step();
      } catch (error) {
        trapped(error, message.id);
        break;
      }
      finish();
      break;
    case 'tools':
      post({ type: 'answer', id: message.id, isError: false, text: tools(database.options(message.toolsets)) });
      break;
    case 'resources': {
      const options = database.options();
      const text = `{"resources":${resources(options)},"resourceTemplates":${resource_templates(options)},"prompts":${prompts(options)}}`;
      post({ type: 'answer', id: message.id, isError: false, text });
      break;
    }
    case 'resource':
      try {
        post({ type: 'answer', id: message.id, ...readResource(database, message.uri) });
      } catch (error) {
        trapped(error, message.id);
      }
      break;
    case 'database':
      answerWith(message.id, () => {
        const bytes = database.open().export_database();
        return { isError: false, text: '', bytes };
      });
      break;
    case 'prompt':
      try {
        post({ type: 'answer', id: message.id, ...getPrompt(database, message) });
      } catch (error) {
        trapped(error, message.id);
      }
      break;
    case 'complete':
      try {
        post({ type: 'answer', id: message.id, ...complete(database, message) });
      } catch (error) {
        trapped(error, message.id);
      }
      break;
    case 'end-session':
      try {
        database.current?.end_session(message.session);
      } catch (error) {
        trapped(error);
      }
      break;
    case 'close':
      database.close();
      post({ type: 'closed' });
      break;
  }
}

/** What a call leaves to be written keeps nobody waiting for its answer. */
function finish(): void {
  try {
    database.current?.finish();
  } catch (error) {
    const failure = knownFailure(error);
    if (failure === undefined) trapped(error);
    else log(`a search was answered but not recorded: ${failure.error}`);
  }
}

/** Answers with what `work` gives, or with the failure that it meets. */
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
  pump.stop();
  database.abandon();
  post({ type: 'trapped', id, reason: textOf(error) });
}

function post(message: FromCore, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

parentPort?.on('message', (message: ToCore) => {
  // The main thread gives what is not answered to the thread that takes this one's place.
  if (broken) return;
  switch (message.type) {
    case 'encoder':
      link.attach(encoderPort(message.port));
      break;
    case 'encoder-gone':
      link.giveUp();
      break;
    case 'cancel': {
      const index = waiting.findIndex((other) => other.type === 'call' && other.id === message.id);
      // The client expects no answer any more; the main thread does.
      if (index !== -1) post({ type: 'answer', id: message.id, isError: true, text: '{}' });
      if (index !== -1) waiting.splice(index, 1);
      else cancel(message.id);
      break;
    }
    case 'version':
      // Out of turn: this reads a number, and must not make the pump look for work each time.
      answerWith(message.id, () => ({ isError: false, text: String(database.version()) }));
      break;
    case 'abort-pending':
      while (fileCalls.first !== undefined && !broken) cancel(fileCalls.first.id);
      waiting.splice(0, waiting.length, { type: 'close' });
      break;
    default:
      waiting.push(message);
      void serve();
  }
});

initSync({ module: readFileSync(settings.wasm) });
post({ type: 'up' });
database.tryOpen(trapped);
