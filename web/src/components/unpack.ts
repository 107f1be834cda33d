/** The content of a file that was packed when the page was built. */
export function decompressed(response: Response, type: string): Response {
  const stream = response.body?.pipeThrough(new DecompressionStream('gzip')) ?? null;
  return new Response(stream, { headers: { 'Content-Type': type } });
}
