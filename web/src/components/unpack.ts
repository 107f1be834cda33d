/** Decompresses a file that the build has compressed. */
export function decompressed(response: Response, type: string): Response {
  const stream = response.body?.pipeThrough(new DecompressionStream('gzip')) ?? null;
  return new Response(stream, { headers: { 'Content-Type': type } });
}
