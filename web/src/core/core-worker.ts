/** The core's worker: takes a seat (owner, guest or alone) and runs or hands on what its page asks. */
import { initSync } from 'limbic-pkg/core/limbic_core.js';
import { openInBrowser, openInMemory, whyNotInBrowser } from './database.ts';
import { EncoderLink } from './encoder-link.ts';
import { textOf } from './failure.ts';
import { Guest } from './guest.ts';
import { holdLife } from './life.ts';
import { MemoryFiles } from './memory-files.ts';
import type { Ask, BetweenTabs, CoreSettings, FromCore, Reply, Seat, ToCore } from './messages.ts';
import { compilePacked } from './module.ts';
import { Owner } from './owner.ts';

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
  await run(settings, async () => openInMemory(settings, memory), () => {});
}

/** Waits for the owner's place, and hands requests to the owner meanwhile. */
function share(settings: CoreSettings): void {
  const channel = new BroadcastChannel(`limbic:${settings.database}`);
  const send = (message: BetweenTabs): void => channel.postMessage(message);
  const seat: Seat = { role: 'owner', storage: 'browser' };
  guest = new Guest(send, tell, begun);
  for (const ask of early.splice(0)) guest.ask(ask);
  channel.onmessage = ({ data }: MessageEvent<BetweenTabs>) => {
    if (owner === undefined) guest?.hear(data);
    else if (data.type === 'ask') owner.ask(data.ask);
    else if (data.type === 'who') send({ type: 'owner', seat });
  };
  send({ type: 'who' });
  // The lock is held as long as this worker lives; when it ends, however it ends, the next in the line has it.
  void navigator.locks.request(`limbic:${settings.database}`, async () => {
    tell({ type: 'seat', seat });
    await run(settings, () => openInBrowser(settings), send);
    send({ type: 'owner', seat });
    await new Promise(() => {});
  });
}

async function run(settings: CoreSettings, open: () => ReturnType<typeof openInBrowser>, send: (message: BetweenTabs) => void) {
  const both = (message: BetweenTabs & FromCore): void => {
    send(message);
    tell(message);
  };
  const next = new Owner(link, (id) => begun.has(id), settings.pumps, {
    open,
    toolsets: settings.toolsets,
    reply: (id: string, reply: Reply) => both({ type: 'reply', id, reply }),
    begun: (id) => both({ type: 'begun', id }),
    progress: (id, done, total) => both({ type: 'progress', id, done, total }),
    changed: () => both({ type: 'changed' }),
    pending: (count) => both({ type: 'pending', count }),
    trapped: (error, id) => {
      if (id !== undefined) send({ type: 'reply', id, reply: internal(textOf(error)) });
      tell({ type: 'trapped', id, reason: textOf(error), files: files?.snapshot() });
    },
  });
  const problem = await next.tryOpen();
  if (problem !== undefined) tell({ type: 'problem', text: problem });
  else tell({ type: 'up' });
  owner = next;
  for (const ask of [...early.splice(0), ...(guest?.leave() ?? [])]) next.ask(ask);
}

function internal(reason: string): Reply {
  const error = `Limbic met a defect of its own during this call and has started afresh: ${reason}`;
  const hint = 'Look whether the call took effect before you try it again, and please report the defect.';
  return { isError: true, text: JSON.stringify({ error, code: 'internal', hint }) };
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
      link.attach(data.port);
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
