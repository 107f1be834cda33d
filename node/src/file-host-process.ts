/** Which process this is, and which others run: what lock files say, and how it is checked. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who this process is, in terms that other processes can check. Empty where the platform does not tell. */
export interface FileHostIdentity {
  readonly pid: number;
  readonly start: string;
  readonly machine: string;
  readonly boot: string;
  readonly space: string;
  readonly instance: string;
}

/** Native programs say the same about themselves: a lock of one is judged by the other. */
type ProcessIdentity = Omit<FileHostIdentity, 'instance'>;

let cachedIdentity: ProcessIdentity | undefined;

/** Who this process is. */
export function identity(): ProcessIdentity {
  cachedIdentity ??= {
    pid: process.pid,
    start: start(process.pid, true) ?? '',
    machine: machine(),
    boot: orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    space: orEmpty(() => readlinkSync('/proc/self/ns/pid')),
  };
  return cachedIdentity;
}

/** When a process began; empty when it is gone, undefined when that cannot be known. `thorough` may start a program. */
export function start(pid: number, thorough: boolean): string | undefined {
  if (process.platform === 'linux') {
    const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat !== '') return fromStat(stat);
  }
  if (!exists(pid)) return '';
  return process.platform === 'darwin' && thorough ? fromPs(pid) : undefined;
}

/**
 * Linux. The name in parentheses may contain anything; after it come state (field 3), number of threads (field 20) and
 * start time in ticks since boot (field 22).
 */
function fromStat(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, threads, began] = [fields[0], fields[17], fields[19]];
  // While a process dies, its first thread may be gone while another still finishes a write.
  const isGone = (state === 'Z' || state === 'X') && Number(threads) <= 1;
  return isGone ? '' : began;
}

function fromPs(pid: number): string | undefined {
  const line = orEmpty(() =>
    execFileSync('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const end = line.indexOf(' ');
  if (end === -1) return undefined;
  return line.startsWith('Z') ? '' : line.slice(end).trim();
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process answers with EPERM.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** The machine's id, where there is one, and its name: cloned machines share the first, containers of one image too. */
function machine(): string {
  const id = orEmpty(() => readFileSync('/etc/machine-id', 'utf8'));
  const name = hostname();
  return id === '' ? name : `${id}/${name}`;
}

function orEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}
