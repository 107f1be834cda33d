import { failedWith } from 'limbic-shell/answer.ts';
import type { Ask, TabMessage, FromCore, ToTab } from './messages.ts';

/** Maximum number of leaders that a request is sent to. */
const MAX_TRIES = 3;

interface Outstanding {
  readonly ask: Ask;
  tries: number;
}

/** Forwards the requests of a tab to the leader, another tab's worker that has the database open. */
export class Follower {
  readonly #send: (message: TabMessage) => void;
  readonly #post: (message: FromCore) => void;
  readonly #begun: Set<string>;
  readonly #outstanding = new Map<string, Outstanding>();
  /** The leader that the outstanding requests were sent to. */
  #leader: string | undefined;

  /** @param begun collects the requests of all tabs that must not run twice, in case this tab becomes the leader. */
  constructor(send: (message: TabMessage) => void, post: (message: FromCore) => void, begun: Set<string>) {
    this.#send = send;
    this.#post = post;
    this.#begun = begun;
  }

  /** Sends a request to the leader, or queues it until there is one. */
  ask(ask: Ask): void {
    const hasLeader = this.#leader !== undefined;
    this.#outstanding.set(ask.id, { ask, tries: hasLeader ? 1 : 0 });
    if (hasLeader) this.#send({ type: 'ask', ask });
  }

  receive(message: TabMessage | ToTab): void {
    switch (message.type) {
      case 'leader':
        // A leader announces itself again for each new tab; it has the requests already.
        if (message.id === this.#leader) break;
        this.#leader = message.id;
        this.#post({ type: 'role', role: { ...message.role, kind: 'follower' } });
        this.#post({ type: 'up' });
        for (const outstanding of this.#outstanding.values()) this.#resend(outstanding);
        break;
      case 'begun':
        this.#begun.add(message.id);
        break;
      case 'ended':
        this.#begun.delete(message.id);
        break;
      case 'reply':
        if (this.#outstanding.delete(message.id)) this.#post(message);
        break;
      case 'progress':
        if (this.#outstanding.has(message.id)) this.#post(message);
        break;
      case 'changed':
      case 'encryption':
      case 'pending':
        this.#post(message);
        break;
      case 'ask':
      case 'find-leader':
        break;
    }
  }

  /** Returns and removes the outstanding requests, when this tab becomes the leader. */
  takeOutstanding(): Ask[] {
    const asks = [...this.#outstanding.values()].map(({ ask }) => ask);
    this.#outstanding.clear();
    return asks;
  }

  #resend(outstanding: Outstanding): void {
    outstanding.tries += 1;
    const { id } = outstanding.ask;
    if (outstanding.tries <= MAX_TRIES) {
      this.#send({ type: 'ask', ask: outstanding.ask });
      return;
    }
    this.#outstanding.delete(id);
    const text = 'The core failed each time it ran this call.';
    this.#post({ type: 'reply', id, reply: failedWith('internal', text, 'Please report this error.') });
  }
}
