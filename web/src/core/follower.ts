import { failedWith } from 'limbic-shell/answer.ts';
import type { Ask, BetweenTabs, FromCore, ToTab } from './messages.ts';

/** A request that so many owners died of is not given to another. */
const TRIES_MAX = 3;

interface Outstanding {
  readonly ask: Ask;
  tries: number;
}

/** The seat of a tab whose database is run by another tab. */
export class Guest {
  readonly #send: (message: BetweenTabs) => void;
  readonly #tell: (message: FromCore) => void;
  readonly #begun: Set<string>;
  readonly #outstanding = new Map<string, Outstanding>();
  #hasOwner = false;

  /** `begun` gathers the requests of all tabs that must not be run twice, in case this tab becomes the owner. */
  constructor(send: (message: BetweenTabs) => void, tell: (message: FromCore) => void, begun: Set<string>) {
    this.#send = send;
    this.#tell = tell;
    this.#begun = begun;
  }

  /** Hands a request to the owner, or keeps it until there is one. */
  ask(ask: Ask): void {
    this.#outstanding.set(ask.id, { ask, tries: this.#hasOwner ? 1 : 0 });
    if (this.#hasOwner) this.#send({ type: 'ask', ask });
  }

  hear(message: BetweenTabs | ToTab): void {
    switch (message.type) {
      case 'owner':
        this.#hasOwner = true;
        this.#tell({ type: 'seat', seat: { ...message.seat, role: 'guest' } });
        this.#tell({ type: 'up' });
        for (const outstanding of this.#outstanding.values()) this.#askAgain(outstanding);
        break;
      case 'begun':
        this.#begun.add(message.id);
        break;
      case 'ended':
        this.#begun.delete(message.id);
        break;
      case 'reply':
        if (this.#outstanding.delete(message.id)) this.#tell(message);
        break;
      case 'progress':
        if (this.#outstanding.has(message.id)) this.#tell(message);
        break;
      case 'changed':
      case 'pending':
        this.#tell(message);
        break;
      case 'ask':
      case 'who':
        break;
    }
  }

  /** Becomes the owner: gives up what it waits for. */
  leave(): Ask[] {
    const asks = [...this.#outstanding.values()].map(({ ask }) => ask);
    this.#outstanding.clear();
    return asks;
  }

  #askAgain(outstanding: Outstanding): void {
    outstanding.tries += 1;
    const { id } = outstanding.ask;
    if (outstanding.tries <= TRIES_MAX) {
      this.#send({ type: 'ask', ask: outstanding.ask });
      return;
    }
    this.#outstanding.delete(id);
    const text = 'The core failed each time it ran this call.';
    this.#tell({ type: 'reply', id, reply: failedWith('internal', text, 'Please report this error.') });
  }
}
