/** Whether this page is a demo. */
export function isDemo(search: string): boolean {
  const asked = new URLSearchParams(search);
  // Tests of a demo build start with an empty memory.
  return asked.has('demo') || (import.meta.env['VITE_DEMO'] !== undefined && !asked.has('test'));
}
