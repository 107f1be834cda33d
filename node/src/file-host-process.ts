/** The identity of this process and of others, as written to and checked against lock files. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The identity of this process in terms that other processes can check. Fields are empty if the platform does not
 * provide them.
 */
export interface FileHostIdentity {
  readonly pid: number;
  readonly start: string;
  readonly machine: string;
  readonly boot: string;
  readonly space: string;
  readonly instance: string;
}

/** Native programs use the same format, so that each can check the other's locks. */
type ProcessIdentity = Omit<FileHostIdentity, 'instance'>;

let cachedIdentity: ProcessIdentity | undefined;

/** The identity of this process. */
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

/** The start time of a process: empty if it has exited, `undefined` if unknown. `thorough` permits starting `ps`. */
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
  // While a process exits, its first thread may have ended while another one still finishes a write.
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
    // For a process of another user, the call fails with EPERM.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** The machine's id, if there is one, and its host name: cloned machines and containers of one image share the id. */
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
