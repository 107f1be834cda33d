/** The folders of watched projects, watched for a core that only records the changes it receives. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { SourceWatch } from '../../node/src/core/source-watch.ts';
import { eventually } from './support/client.ts';
import { temporaryFolder } from './support/places.ts';

/** A watch of one project. `folders` is what the core wants to be watched; each walk names all of them. */
class Place {
  readonly root = temporaryFolder();
  readonly told: (readonly string[])[] = [];
  folders: readonly string[] | undefined = [''];
  isIdle = true;
  /** Whether the core cannot store what has changed. */
  isFailing = false;
  readonly failures: string[] = [];
  readonly watch: SourceWatch;
  readonly core: Core;
  #heard: () => void = () => {};

  constructor() {
    const core = {
      reads_code: (tool: string) => tool === 'search_code',
      watched_folders: () => {
        const { folders } = this;
        this.folders = undefined;
        return folders === undefined ? undefined : JSON.stringify([{ root: this.root, folders }]);
      },
      files_changed: (root: string, paths: readonly string[]) => {
        assert.equal(root, this.root);
        if (this.isFailing) throw new Error('{"error":"the disk is full","code":"disk_full"}');
        this.told.push([...paths].sort());
        this.#heard();
      },
    };
    this.core = core as unknown as Core;
    this.watch = new SourceWatch({
      idleCore: () => (this.isIdle ? this.core : undefined),
      turnOfLoop: () => turnOfLoop(),
      changed: () => {},
      trapped: (error) => assert.fail(String(error)),
      failed: (reason) => this.failures.push(reason),
    });
  }

  /** Waits for the next change of which the core is notified. */
  next(): Promise<readonly string[] | undefined> {
    const timer = setInterval(() => {}, 1000);
    return new Promise((resolve) => {
      this.#heard = () => {
        clearInterval(timer);
        resolve(this.told.at(-1));
      };
    });
  }

  /** Watches these folders; each new one causes a comparison of the whole project. */
  async follow(folders: readonly string[]): Promise<void> {
    this.folders = folders;
    const told = this.next();
    this.watch.update();
    assert.deepEqual(await told, []);
  }
}

test('changes of watched folders are reported together, and those of other folders not at all', async () => {
  const place = new Place();
  const at = (path: string): string => join(place.root, path);
  for (const folder of ['src', 'target']) mkdirSync(at(folder));
  await place.follow(['', 'src']);
  let told = place.next();
  place.isIdle = false;
  writeFileSync(at('src/a.py'), 'a');
  writeFileSync(at('b.py'), 'b');
  writeFileSync(at('target/c.o'), 'c');
  setTimeout(() => {
    place.isIdle = true;
  }, 700);
  assert.deepEqual(await told, ['b.py', 'src/a.py'], 'told when the core is idle');
  // A folder that is replaced is watched again after the next walk.
  renameSync(at('src'), at('old'));
  mkdirSync(at('src'));
  told = place.next();
  // A watch of the moved folder itself may name it, too.
  assert.deepEqual(
    (await told)?.filter((path) => path !== 'src/src'),
    ['old', 'src'],
  );
  place.folders = ['', 'src', 'old'];
  told = place.next();
  place.watch.update();
  assert.deepEqual(await told, [], 'a new folder may have changed before it was watched');
  told = place.next();
  writeFileSync(at('src/d.py'), 'd');
  assert.deepEqual(await told, ['src/d.py']);
  place.watch.stop();
  const count = place.told.length;
  rmSync(at('b.py'));
  place.watch.update();
  assert.equal(place.told.length, count);
  assert.deepEqual(place.failures, []);
});

test('changes that the core cannot take are kept', async () => {
  const place = new Place();
  await place.follow(['']);
  place.isFailing = true;
  writeFileSync(join(place.root, 'a.py'), 'a');
  const waiting = setInterval(() => {}, 1000);
  await eventually('the failure', () => place.failures.length > 0);
  clearInterval(waiting);
  assert.match(String(place.failures[0]), /not read yet: the disk is full/);
  place.isFailing = false;
  const told = place.next();
  writeFileSync(join(place.root, 'b.py'), 'b');
  assert.deepEqual(await told, ['a.py', 'b.py']);
  place.watch.stop();
});

test('changes that are held back are reported before a call that reads the code index', async () => {
  const place = new Place();
  await place.follow(['']);
  place.isIdle = false;
  const before = place.told.length;
  writeFileSync(join(place.root, 'a.py'), 'a');
  await eventually('the change is known', async () => {
    await place.watch.reportBefore(() => place.core, 'memory_store', '{}');
    assert.equal(place.told.length, before, 'other calls do not wait for it');
    await place.watch.reportBefore(() => place.core, 'search_code', '{}');
    return place.told.length > before;
  });
  assert.deepEqual(place.told.at(-1), ['a.py']);
  const told = place.next();
  place.isIdle = true;
  writeFileSync(join(place.root, 'b.py'), 'b');
  assert.deepEqual(await told, ['b.py'], 'what it was told is not reported again');
  place.watch.stop();
});

test('a project whose folder is replaced may have changed', async (t) => {
  if (process.platform !== 'linux') return t.skip('other systems do not tell, or do not allow it');
  const place = new Place();
  await place.follow(['']);
  const told = place.next();
  renameSync(place.root, join(temporaryFolder(), 'away'));
  assert.deepEqual(await told, []);
  place.watch.stop();
});
