import { afterEach, expect, it, vi } from 'vitest';
import { Api } from '../../src/source/server/api.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('the creation of a token ends if the server does not answer, and says that the token may exist', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
  vi.stubGlobal('fetch', async (_: URL, { signal }: RequestInit) => {
    signal?.throwIfAborted();
    return new Promise(() => {});
  });
  const api = new Api('http://127.0.0.1/', 'token');
  const failure = await api.createToken({ name: 'slow', read_only: false, explorer: false }).catch((error) => error);
  expect(timeout).toHaveBeenCalledWith(30_000);
  expect(JSON.parse((failure as Error).message)).toMatchObject({
    error: 'The server has not answered for 30 seconds: the token may exist, but its text is lost.',
    code: 'server_unreachable',
  });
});

it('the error of a refused token is that of the server', async () => {
  vi.stubGlobal('fetch', async () => new Response('{"error":"taken","code":"token_exists"}', { status: 409 }));
  const api = new Api('http://127.0.0.1/', 'token');
  const creation = api.createToken({ name: 'taken', read_only: false, explorer: false });
  await expect(creation).rejects.toThrow('{"error":"taken","code":"token_exists"}');
});
