import { describe, expect, it } from 'vitest';
import { Guest } from '../../src/core/follower.ts';
import type { BetweenTabs, FromCore } from '../../src/core/messages.ts';

const seat = { role: 'owner', storage: 'browser' } as const;
const ask = { id: 'a', request: { what: 'tools' } } as const;

function guest() {
  const sent: BetweenTabs[] = [];
  const told: FromCore[] = [];
  const begun = new Set<string>();
  return {
    sent,
    told,
    begun,
    guest: new Guest(
      (message) => sent.push(message),
      (message) => told.push(message),
      begun,
    ),
  };
}

describe('a tab without the database', () => {
  it('keeps a request until there is an owner, and sends it again to the next', () => {
    const { guest: tab, sent } = guest();
    tab.ask(ask);
    expect(sent).toEqual([]);
    tab.hear({ type: 'owner', seat });
    tab.hear({ type: 'owner', seat });
    expect(sent).toEqual([
      { type: 'ask', ask },
      { type: 'ask', ask },
    ]);
  });

  it('gives up a request of which each owner dies', () => {
    const { guest: tab, sent, told } = guest();
    tab.ask(ask);
    for (let owners = 0; owners < 5; owners += 1) tab.hear({ type: 'owner', seat });
    expect(sent).toHaveLength(3);
    expect(told.filter(({ type }) => type === 'reply')).toHaveLength(1);
  });

  it('hands on an answer once, and only its own', () => {
    const { guest: tab, told } = guest();
    tab.ask(ask);
    const reply = { isError: false, text: '{}' };
    tab.hear({ type: 'reply', id: 'of another tab', reply });
    tab.hear({ type: 'reply', id: 'a', reply });
    tab.hear({ type: 'reply', id: 'a', reply });
    expect(told).toEqual([{ type: 'reply', id: 'a', reply }]);
    expect(tab.leave()).toEqual([]);
  });

  it('remembers what others began until its end is heard', () => {
    const { guest: tab, begun } = guest();
    tab.hear({ type: 'begun', id: 'x' });
    tab.hear({ type: 'begun', id: 'y' });
    tab.hear({ type: 'ended', id: 'x' });
    expect([...begun]).toEqual(['y']);
  });
});
