import { describe, expect, it } from 'vitest';
import { Follower } from '../../src/core/follower.ts';
import type { TabMessage, FromCore } from '../../src/core/messages.ts';

const role = { kind: 'leader', storage: 'browser' } as const;
const ask = { id: 'a', request: { what: 'tools' } } as const;

function follower() {
  const sent: TabMessage[] = [];
  const told: FromCore[] = [];
  const begun = new Set<string>();
  return {
    sent,
    told,
    begun,
    follower: new Follower(
      (message) => sent.push(message),
      (message) => told.push(message),
      begun,
    ),
  };
}

describe('a tab without the database', () => {
  it('keeps a request until there is an owner, and sends it again to the next', () => {
    const { follower: tab, sent } = follower();
    tab.ask(ask);
    expect(sent).toEqual([]);
    tab.receive({ type: 'leader', role });
    tab.receive({ type: 'leader', role });
    expect(sent).toEqual([
      { type: 'ask', ask },
      { type: 'ask', ask },
    ]);
  });

  it('gives up a request of which each owner dies', () => {
    const { follower: tab, sent, told } = follower();
    tab.ask(ask);
    for (let leaders = 0; leaders < 5; leaders += 1) tab.receive({ type: 'leader', role });
    expect(sent).toHaveLength(3);
    expect(told.filter(({ type }) => type === 'reply')).toHaveLength(1);
  });

  it('hands on an answer once, and only its own', () => {
    const { follower: tab, told } = follower();
    tab.ask(ask);
    const reply = { isError: false, text: '{}' };
    tab.receive({ type: 'reply', id: 'of another tab', reply });
    tab.receive({ type: 'reply', id: 'a', reply });
    tab.receive({ type: 'reply', id: 'a', reply });
    expect(told).toEqual([{ type: 'reply', id: 'a', reply }]);
    expect(tab.takeOutstanding()).toEqual([]);
  });

  it('remembers what others began until its end is heard', () => {
    const { follower: tab, begun } = follower();
    tab.receive({ type: 'begun', id: 'x' });
    tab.receive({ type: 'begun', id: 'y' });
    tab.receive({ type: 'ended', id: 'x' });
    expect([...begun]).toEqual(['y']);
  });
});
