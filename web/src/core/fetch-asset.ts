import type { KnownFailure } from 'limbic-shell/failure.ts';

/** Fetches an asset of the page. Throws a failure with a hint. */
export async function fetchAsset(url: string, cache: RequestCache = 'default'): Promise<Response> {
  const response = await fetch(url, { cache }).catch((error: unknown) => fail(String(error)));
  return response.ok ? response : fail(`the server answered ${response.status}`);
}

/** The failure of a part of the page that cannot be loaded. */
export function unreachable(reason: string): KnownFailure {
  return {
    error: `A part of the page could not be loaded: ${reason}`,
    code: 'part_unreachable',
    hint: 'Reload the page when you are online.',
  };
}

function fail(reason: string): never {
  throw new Error(JSON.stringify(unreachable(reason)));
}
