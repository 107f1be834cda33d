import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BUILD = fileURLToPath(new URL('../../sample/build.mjs', import.meta.url));

it('the sample memory is in order', () => {
  const { status, stderr } = spawnSync(process.execPath, [BUILD, '--check'], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/^\d+ entities, \d+ observations/);
});
