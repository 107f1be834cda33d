import { describe, expect, it } from 'vitest';
import { Follower } from '../../src/core/follower.ts';
import type { TabMessage, FromCore } from '../../src/core/messages.ts';

const leader = (id: string): TabMessage => ({ type: 'leader', id, role: { kind: 'leader', storage: 'browser' } });
const ask = { id: 'a', request: { what: 'tools' } } as const;

function follower() {
  const sent: TabMessage[] = [];
  const received: FromCore[] = [];
  const begun = new Set<string>();
  return {
    sent,
    received,
    begun,
    follower: new Follower(
      (message) => sent.push(message),
      (message) => received.push(message),
      begun,
    ),
  };
}

describe('a follower', () => {
  it('queues a request until there is a leader, and repeats it for the next leader', () => {
    const { follower: tab, sent } = follower();
    tab.ask(ask);
    expect(sent).toEqual([]);
    tab.receive(leader('first'));
    tab.receive(leader('second'));
    expect(sent).toEqual([
      { type: 'ask', ask },
      { type: 'ask', ask },
    ]);
  });

  it('gives up a request after several leaders have ended', () => {
    const { follower: tab, sent, received } = follower();
    tab.ask(ask);
    for (let leaders = 0; leaders < 5; leaders += 1) tab.receive(leader(`leader ${leaders}`));
    expect(sent).toHaveLength(3);
    expect(received.filter(({ type }) => type === 'reply')).toHaveLength(1);
  });

  it('waits for a leader that announces itself again because other tabs were opened', () => {
    const { follower: tab, sent, received } = follower();
    tab.receive(leader('first'));
    tab.ask(ask);
    for (let tabs = 0; tabs < 5; tabs += 1) tab.receive(leader('first'));
    expect(sent).toEqual([{ type: 'ask', ask }]);
    expect(received.filter(({ type }) => type === 'reply')).toEqual([]);
    tab.receive(leader('second'));
    expect(sent).toHaveLength(2);
    tab.receive({ type: 'reply', id: 'a', reply: { isError: false, text: '{}' } });
    tab.receive(leader('third'));
    expect(sent).toHaveLength(2);
  });

  it('forwards a reply once, and only of its own requests', () => {
    const { follower: tab, received } = follower();
    tab.ask(ask);
    const reply = { isError: false, text: '{}' };
    tab.receive({ type: 'reply', id: 'of another tab', reply });
    tab.receive({ type: 'reply', id: 'a', reply });
    tab.receive({ type: 'reply', id: 'a', reply });
    expect(received).toEqual([{ type: 'reply', id: 'a', reply }]);
    expect(tab.takeOutstanding()).toEqual([]);
  });

  it('remembers requests that were begun until they have ended', () => {
    const { follower: tab, begun } = follower();
    tab.receive({ type: 'begun', id: 'x' });
    tab.receive({ type: 'begun', id: 'y' });
    tab.receive({ type: 'ended', id: 'x' });
    expect([...begun]).toEqual(['y']);
  });
});
