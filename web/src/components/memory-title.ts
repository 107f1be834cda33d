import { startOf } from './format.ts';

/** The title of a memory: its first line, truncated at a word. */
export function memoryTitle(content: string, maxChars = 80): string {
  const line = content.trim().split('\n', 1)[0] ?? '';
  if (line.length <= maxChars) return line;
  const cut = startOf(line, maxChars);
  const space = cut.lastIndexOf(' ');
  return `${space > maxChars / 2 ? cut.slice(0, space) : cut}…`;
}
