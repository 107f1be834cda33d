import { unpacked } from '../components/unpack.ts';
import { knownFailure } from 'limbic-shell/failure.ts';
import { fetchPart } from './fetch-part.ts';
import { fetchKept } from './asset-cache.ts';

/** Fetches and compiles a packed WebAssembly module. What is kept of it may be damaged: the network then has it. */
export async function compilePacked(url: string): Promise<WebAssembly.Module> {
  const compile = (response: Response): Promise<WebAssembly.Module> =>
    WebAssembly.compileStreaming(unpacked(response, 'application/wasm'));
  try {
    return await compile(await fetchKept(url));
  } catch (error) {
    if (knownFailure(error) !== undefined) throw error;
    return compile(await fetchPart(url));
  }
}
