import { failedWith } from 'limbic-shell/answer.ts';

/** Fetches an asset of the page. Throws a failure with a hint. */
export async function fetchAsset(url: string): Promise<Response> {
  const response = await fetch(url).catch((error: unknown) => unreachable(String(error)));
  return response.ok ? response : unreachable(`the server answered ${response.status}`);
}

function unreachable(reason: string): never {
  const text = `A part of the page could not be loaded: ${reason}`;
  throw new Error(failedWith('part_unreachable', text, 'Reload the page when you are online.').text);
}
