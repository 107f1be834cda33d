/** The core's worker: takes a seat (owner, guest or alone) and runs or hands on what its page asks. */
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { openInBrowser, openInMemory, whyNotInBrowser } from './database.ts';
import { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { brokenBy } from 'limbic-shell/answer.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { encoderPort } from './encoder-port.ts';
import { Guest } from './follower.ts';
import { holdLife } from './worker-liveness.ts';
import { MemoryFiles } from './memory-files.ts';
import {
  type Ask,
  type BetweenTabs,
  type CoreSettings,
  type FromCore,
  pageOf,
  type Reply,
  type Seat,
  type ToCore,
  type ToTab,
} from './messages.ts';
import { compilePacked } from './module.ts';
import { Owner } from './leader.ts';

const link = new EncoderLink();
const early: Ask[] = [];
/** Requests that must not be run twice and whose end nobody has heard. */
const begun = new Set<string>();
let owner: Owner | undefined;
let guest: Guest | undefined;
let files: MemoryFiles | undefined;

async function start(settings: CoreSettings): Promise<void> {
  for (const id of settings.begun) begun.add(id);
  initSync({ module: await compilePacked(settings.wasm) });
  const note = await whyNotInBrowser(settings);
  if (note === undefined) share(settings);
  else await standAlone(settings, note);
}

async function standAlone(settings: CoreSettings, note: string): Promise<void> {
  const memory = new MemoryFiles(settings.files);
  files = memory;
  tell({ type: 'seat', seat: { role: 'alone', storage: 'memory', note } });
  await run(settings, async () => openInMemory(settings, memory), NO_TABS);
}

/** How the owner reaches the other tabs. */
interface Tabs {
  /** Tells all of them. */
  readonly send: (message: BetweenTabs) => void;
  /** Tells the one that asked. */
  readonly answer: (page: string, message: ToTab) => void;
}

const NO_TABS: Tabs = { send: () => {}, answer: () => {} };

/** Waits for the owner's place, and hands requests to the owner meanwhile. */
function share(settings: CoreSettings): void {
  const name = `limbic:${settings.database}`;
  const channel = new BroadcastChannel(name);
  const replies = new BroadcastChannel(`${name}:${settings.page}`);
  const send = (message: BetweenTabs): void => channel.postMessage(message);
  const seat: Seat = { role: 'owner', storage: 'browser' };
  guest = new Guest(send, tell, begun);
  for (const ask of early.splice(0)) guest.ask(ask);
  channel.onmessage = ({ data }: MessageEvent<BetweenTabs>) => {
    if (owner === undefined) guest?.hear(data);
    else if (data.type === 'ask') owner.ask(data.ask);
    else if (data.type === 'who') send({ type: 'owner', seat });
  };
  replies.onmessage = ({ data }: MessageEvent<ToTab>) => guest?.hear(data);
  send({ type: 'who' });
  // The lock is held as long as this worker lives; when it ends, however it ends, the next in the line has it.
  void navigator.locks.request(name, async () => {
    tell({ type: 'seat', seat });
    await run(settings, () => openInBrowser(settings), { send, answer: channelsOf(name) });
    send({ type: 'owner', seat });
    await new Promise(() => {});
  });
}

/** Sends over the channel of a tab, which is opened at its first request. */
function channelsOf(name: string): Tabs['answer'] {
  const channels = new Map<string, BroadcastChannel>();
  return (page, message) => {
    const channel = channels.get(page) ?? new BroadcastChannel(`${name}:${page}`);
    channels.set(page, channel);
    channel.postMessage(message);
  };
}

async function run(settings: CoreSettings, open: () => ReturnType<typeof openInBrowser>, { send, answer }: Tabs) {
  const both = (message: BetweenTabs & FromCore): void => {
    send(message);
    tell(message);
  };
  const toAsker = (message: ToTab): void => {
    const page = pageOf(message.id);
    if (page === settings.page) tell(message);
    else answer(page, message);
  };
  const unrepeatable = new Set<string>();
  const reply = (id: string, reply: Reply): void => {
    toAsker({ type: 'reply', id, reply });
    // After the reply, so that nobody forgets that a call was begun whose reply was never sent.
    if (unrepeatable.delete(id) || begun.has(id)) both({ type: 'ended', id });
  };
  const next = new Owner(link, (id) => begun.has(id), settings.pumps, {
    open,
    toolsets: settings.toolsets,
    reply,
    begun: (id) => {
      unrepeatable.add(id);
      both({ type: 'begun', id });
    },
    progress: (id, done, total) => toAsker({ type: 'progress', id, done, total }),
    changed: () => both({ type: 'changed' }),
    pending: (count) => both({ type: 'pending', count }),
    trapped: (error, id) => {
      // What this page asked is answered by its thread.
      if (id !== undefined) reply(id, brokenBy(textOf(error)));
      tell({ type: 'trapped', id, reason: textOf(error), files: files?.snapshot() });
    },
  });
  const problem = await next.tryOpen();
  if (problem !== undefined) tell({ type: 'problem', text: problem });
  else tell({ type: 'up' });
  owner = next;
  for (const ask of [...early.splice(0), ...(guest?.leave() ?? [])]) next.ask(ask);
}

function tell(message: FromCore): void {
  self.postMessage(message);
}

self.onmessage = ({ data }: MessageEvent<ToCore>) => {
  switch (data.type) {
    case 'start':
      holdLife(data.settings.life, () => tell({ type: 'alive' }));
      start(data.settings).catch((error: unknown) => tell({ type: 'problem', text: textOf(error) }));
      break;
    case 'ask':
      if (owner !== undefined) owner.ask(data.ask);
      else if (guest !== undefined) guest.ask(data.ask);
      else early.push(data.ask);
      break;
    case 'encoder':
      link.attach(encoderPort(data.port));
      break;
    case 'encoder-gone':
      link.drop();
      break;
    case 'close':
      owner?.close();
      self.close();
      break;
  }
};
