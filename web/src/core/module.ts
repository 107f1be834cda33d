import { decompressed } from '../components/unpack.ts';
import { fetchCached } from './asset-cache.ts';

/** Fetches and compiles a compressed WebAssembly module; if the cached file is damaged, replaces it. */
export async function compilePacked(url: string): Promise<WebAssembly.Module> {
  const compile = (response: Response): Promise<WebAssembly.Module> =>
    WebAssembly.compileStreaming(decompressed(response, 'application/wasm'));
  const { response, isCached } = await fetchCached(url, false);
  try {
    return await compile(response);
  } catch (error) {
    if (!isCached) throw error;
    return compile((await fetchCached(url, true)).response);
  }
}
