/** The core's worker: takes a role (leader, follower or standalone) and runs or forwards the requests of its page. */
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { openInMemory, whyNotInBrowser } from './database.ts';
import { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { brokenBy, failedWith } from 'limbic-shell/answer.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { randomId } from '../components/random-id.ts';
import { encoderPort } from './encoder-port.ts';
import { Follower } from './follower.ts';
import { holdLivenessLock } from './worker-liveness.ts';
import { MemoryFiles } from './memory-files.ts';
import {
  type Ask,
  type TabMessage,
  type CoreSettings,
  type FromCore,
  pageOf,
  type Reply,
  type Role,
  type ToCore,
  type ToTab,
} from './messages.ts';
import { compilePacked } from './module.ts';
import { StoredDatabase } from './stored-database.ts';
import { Leader } from './leader.ts';

const link = new EncoderLink();
const early: Ask[] = [];
/** Requests that must not run twice and whose completion is unknown. */
const begun = new Set<string>();
let leader: Leader | undefined;
let follower: Follower | undefined;
let files: MemoryFiles | undefined;

async function start(settings: CoreSettings): Promise<void> {
  for (const id of settings.begun) begun.add(id);
  initSync({ module: await compilePacked(settings.wasm) });
  const note = await whyNotInBrowser(settings);
  if (note === undefined) joinTabs(settings);
  else await runStandalone(settings, note);
}

async function runStandalone(settings: CoreSettings, note: string): Promise<void> {
  const memory = new MemoryFiles(settings.files);
  files = memory;
  post({ type: 'role', role: { kind: 'standalone', storage: 'memory', note } });
  const database = { open: async () => openInMemory(settings, memory), run: async () => notStored() };
  await run(settings, database, NO_TABS);
}

/** How the leader reaches the other tabs. */
interface Tabs {
  /** Broadcasts to all tabs. */
  readonly send: (message: TabMessage) => void;
  /** Sends to the tab of a request. */
  readonly answer: (page: string, message: ToTab) => void;
}

const NO_TABS: Tabs = { send: () => {}, answer: () => {} };

/** Waits to become the leader, and forwards requests to the leader meanwhile. */
function joinTabs(settings: CoreSettings): void {
  const name = `limbic:${settings.database}`;
  const channel = new BroadcastChannel(name);
  const replies = new BroadcastChannel(`${name}:${settings.page}`);
  const send = (message: TabMessage): void => channel.postMessage(message);
  const role: Role = { kind: 'leader', storage: 'browser' };
  const announcement: TabMessage = { type: 'leader', id: randomId(), role };
  const database = new StoredDatabase(settings, {
    onstate: (state) => {
      send({ type: 'encryption', state });
      post({ type: 'encryption', state });
      // It was opened, perhaps only after the person has entered a recovery phrase.
      if (state !== 'locked') post({ type: 'up' });
    },
    onunfinished: (text) => post({ type: 'unfinished', text }),
  });
  follower = new Follower(send, post, begun);
  for (const ask of early.splice(0)) follower.ask(ask);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (leader === undefined) follower?.receive(data);
    else if (data.type === 'ask') leader.ask(data.ask);
    else if (data.type === 'find-leader') {
      send(announcement);
      if (database.state !== undefined) send({ type: 'encryption', state: database.state });
    }
  };
  replies.onmessage = ({ data }: MessageEvent<ToTab>) => follower?.receive(data);
  send({ type: 'find-leader' });
  // The lock is held while this worker lives; when it ends, the browser passes the lock on.
  void navigator.locks.request(name, async () => {
    post({ type: 'role', role });
    await run(settings, database, { send, answer: sendToTab(name) });
    send(announcement);
    await new Promise(() => {});
  });
}

/** Sends over the channel of a tab, which is created at its first request. */
function sendToTab(name: string): Tabs['answer'] {
  const channels = new Map<string, BroadcastChannel>();
  return (page, message) => {
    const channel = channels.get(page) ?? new BroadcastChannel(`${name}:${page}`);
    channels.set(page, channel);
    channel.postMessage(message);
  };
}

async function run(settings: CoreSettings, database: Pick<StoredDatabase, 'open' | 'run'>, { send, answer }: Tabs) {
  const postAndBroadcast = (message: TabMessage & FromCore): void => {
    send(message);
    post(message);
  };
  const toAsker = (message: ToTab): void => {
    const page = pageOf(message.id);
    if (page === settings.page) post(message);
    else answer(page, message);
  };
  const unrepeatable = new Set<string>();
  const reply = (id: string, reply: Reply): void => {
    toAsker({ type: 'reply', id, reply });
    // After the reply, so that a call without a sent reply stays recorded as begun.
    if (unrepeatable.delete(id) || begun.has(id)) postAndBroadcast({ type: 'ended', id });
  };
  const next = new Leader(link, (id) => begun.has(id), settings.runsQueue, {
    open: () => database.open(),
    convert: (order) => database.run(order),
    toolsets: settings.toolsets,
    reply,
    begun: (id) => {
      unrepeatable.add(id);
      postAndBroadcast({ type: 'begun', id });
    },
    progress: (id, done, total) => toAsker({ type: 'progress', id, done, total }),
    changed: () => postAndBroadcast({ type: 'changed' }),
    pending: (count) => postAndBroadcast({ type: 'pending', count }),
    trapped: (error, id) => {
      // The core thread answers this page's own requests.
      if (id !== undefined) reply(id, brokenBy(textOf(error)));
      post({ type: 'trapped', id, reason: textOf(error), files: files?.snapshot() });
    },
  });
  const problem = await next.tryOpen();
  if (problem !== undefined) post({ type: 'problem', text: problem });
  else post({ type: 'up' });
  leader = next;
  for (const ask of [...early.splice(0), ...(follower?.takeOutstanding() ?? [])]) next.ask(ask);
}

function notStored(): Reply {
  return failedWith('not_stored', 'The memory of this page is not stored, so there is nothing to encrypt.');
}

function post(message: FromCore): void {
  self.postMessage(message);
}

self.onmessage = ({ data }: MessageEvent<ToCore>) => {
  switch (data.type) {
    case 'start':
      holdLivenessLock(data.settings.livenessLock, () => post({ type: 'alive' }));
      start(data.settings).catch((error: unknown) =>
        post({ type: 'unusable', failure: knownFailure(error) ?? { error: textOf(error), code: 'internal' } }),
      );
      break;
    case 'ask':
      if (leader !== undefined) leader.ask(data.ask);
      else if (follower !== undefined) follower.ask(data.ask);
      else early.push(data.ask);
      break;
    case 'encoder':
      link.attach(encoderPort(data.port));
      break;
    case 'encoder-gone':
      link.drop();
      break;
    case 'close':
      leader?.close();
      self.close();
      break;
  }
};
