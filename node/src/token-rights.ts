/** Validates the rights of a new token, given by the command line or the explorer. */
import type { TokenRights } from './token-store.ts';
import { currentToolset } from './tool-catalog.ts';
import { UsageError } from './usage.ts';

const DAY_MILLIS = 86_400_000;
/** The toolset that agents cannot have; the right `explorer` grants it. */
const PAGES = 'explorer';

/** The names of the toolsets. */
export interface KnownToolsets {
  readonly all: readonly string[];
  /** The toolsets with tools that can be limited to one user. */
  readonly ofUsers: readonly string[];
}

/** The rights of a new token, unchecked. */
export interface GivenRights {
  readonly toolsets: readonly string[] | undefined;
  readonly readOnly: boolean;
  readonly user: string | undefined;
  readonly explorer: boolean;
  /** A number of days such as `90d`, or a date. */
  readonly expires: string | undefined;
}

/** The prefix of field names in messages: `--` for options. */
type Prefix = '--' | '';

/** The toolsets that a token may name, for a user or without one. */
export function toolsetsFor(user: string | undefined, { all, ofUsers }: KnownToolsets): readonly string[] {
  return user === undefined ? all.filter((name) => name !== PAGES) : ofUsers;
}

/**
 * Checks the rights of a new token.
 *
 * @throws UsageError with the reason.
 */
export function tokenRights(given: GivenRights, known: KnownToolsets, prefix: Prefix): TokenRights {
  const { toolsets, readOnly, user, explorer, expires } = given;
  if (user !== undefined && explorer) {
    throw new UsageError(
      `${prefix}explorer and ${prefix}user cannot be combined: the explorer shows the memories of all users`,
    );
  }
  if (toolsets?.length === 0) {
    throw new UsageError(`${prefix}toolsets must name at least one toolset; omit it for those of the server`);
  }
  const names = [...toolsetsFor(user, known), 'all'];
  const unknown = toolsets?.find((name) => !names.includes(currentToolset(name)));
  if (unknown !== undefined) {
    const reason = user === undefined ? '' : ` with ${prefix}user, since others have no tools for one user`;
    throw new UsageError(`${prefix}toolsets must be one of ${names.join(', ')}${reason}, but got "${unknown}"`);
  }
  return { toolsets, readOnly, user, explorer, expiresMillis: expiry(expires, prefix) };
}

function expiry(text: string | undefined, prefix: Prefix): number | undefined {
  if (text === undefined) return undefined;
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const millis = days === undefined ? (isDate ? Date.parse(text) : Number.NaN) : Date.now() + Number(days) * DAY_MILLIS;
  if (!(millis > Date.now())) {
    throw new UsageError(
      `${prefix}expires must be a number of days such as 90d, or a future date such as 2027-01-31, but got "${text}"`,
    );
  }
  return millis;
}
