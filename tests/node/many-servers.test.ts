import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, entities, eventually, type Session, TEST_ENCODER } from './support/client.ts';
import { inspect } from './support/inspect.ts';
import { temporaryFolder } from './support/places.ts';

const SERVERS = 4;
const WRITES = 100;

test('four servers write a hundred times each concurrently, and nothing is lost', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const sessions = await Promise.all(Array.from({ length: SERVERS }, () => connect(t, ['--db', db, ...TEST_ENCODER])));
  const writeAll = async (session: Session, server: number): Promise<void> => {
    for (let write = 0; write < WRITES; write++) {
      await session.ask('create_entities', entities(`server ${server} write ${String(write).padStart(3, '0')}`));
      // A concurrent reader must not starve.
      if (write % 10 === 0) await session.ask('read_graph', { limit: 5 });
    }
  };
  await Promise.all(sessions.map(writeAll));
  const last = sessions[0];
  assert.ok(last);
  await eventually('every server sees everything', async () => {
    const { totals } = await last.ask('read_graph', { limit: 1 });
    return (totals as { entities: number }).entities === SERVERS * WRITES;
  });
  await Promise.all(sessions.map((session) => session.leave()));
  const { integrity, names } = await inspect(db);
  assert.equal(integrity, 'ok');
  assert.equal(names.length, SERVERS * WRITES);
});
