/** The file system of a database as reported to the core, and the option that accepts a shared disk. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Core, initSync } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure } from 'limbic-shell/failure.ts';
import { createFileHost } from '../../node/src/file-host.ts';
import { typeInTable } from '../../node/src/file-host-mount.ts';
import { readOptions } from '../../node/src/options.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

test('on Linux the core gets the type number of the file system', { skip: process.platform !== 'linux' }, () => {
  const folder = temporaryFolder();
  assert.equal(createFileHost().fileSystem(folder), statfsSync(folder).type);
  assert.equal(createFileHost().fileSystem('/proc'), 0x9fa0);
  assert.equal(createFileHost().fileSystem(join(folder, 'none')), undefined);
});

test('a database on a network file system is refused before anything is created', () => {
  initSync({ module: readFileSync(join(PACKAGE, 'dist', 'limbic_core_bg.wasm')) });
  const shared: readonly (readonly [type: number | string, name: string])[] = [
    [0x6969, 'NFS'],
    [0xfe534d42, 'SMB'],
    [0xff534d42, 'CIFS'],
    [0x01021997, '9p'],
    [0x65735546, 'FUSE'],
    ['smbfs', 'smbfs'],
  ];
  for (const [type, name] of shared) {
    const folder = temporaryFolder();
    const host = { ...createFileHost(), fileSystem: () => type };
    const open = (sharedDisk: boolean): Core =>
      Core.open(host, JSON.stringify({ path: join(folder, 'memory.db'), sharedDisk }));
    assert.throws(
      () => open(false),
      (thrown) => {
        const failure = knownFailure(thrown);
        assert.equal(failure?.code, 'shared_disk');
        assert.match(failure.error, new RegExp(`\\b${name}\\b`));
        return true;
      },
    );
    assert.deepEqual(readdirSync(folder), []);
    open(true).close();
  }
});

test('on macOS the mount table names the file system', () => {
  const table = [
    '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
    '/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)',
    '//ada@server/team share on /Volumes/team share (smbfs, nodev, nosuid, mounted by ada)',
    'server:/home on /Volumes/team share/nested (nfs)',
    'map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)',
  ].join('\n');
  const cases: readonly (readonly [folder: string, type: string])[] = [
    ['/private/memory', 'apfs'],
    ['/Volumes/team share/memory', 'smbfs'],
    ['/Volumes/team share', 'smbfs'],
    ['/Volumes/team shares', 'apfs'],
    ['/Volumes/team share/nested/x', 'nfs'],
  ];
  for (const [folder, type] of cases) assert.equal(typeInTable(folder, table), type, folder);
  assert.equal(typeInTable('/x', ''), undefined);
});

test('--shared-disk and its variable accept a shared disk', () => {
  const accepts = (args: string[], env: Record<string, string> = {}): boolean => {
    const request = readOptions(args, env);
    assert.equal(request.kind, 'serve');
    return request.kind === 'serve' && request.options.acceptsSharedDisk;
  };
  assert.equal(accepts([]), false);
  assert.equal(accepts(['--shared-disk']), true);
  assert.equal(accepts([], { LIMBIC_SHARED_DISK: '1' }), true);
  assert.equal(accepts([], { LIMBIC_SHARED_DISK: 'off' }), false);
});
