import { decompressed } from '../components/unpack.ts';
import { knownFailure } from 'limbic-shell/failure.ts';
import { fetchAsset } from './fetch-asset.ts';
import { fetchCached } from './asset-cache.ts';

/** Fetches and compiles a compressed WebAssembly module; if the cached file is damaged, fetches it again. */
export async function compilePacked(url: string): Promise<WebAssembly.Module> {
  const compile = (response: Response): Promise<WebAssembly.Module> =>
    WebAssembly.compileStreaming(decompressed(response, 'application/wasm'));
  try {
    return await compile(await fetchCached(url));
  } catch (error) {
    if (knownFailure(error) !== undefined) throw error;
    return compile(await fetchAsset(url));
  }
}
