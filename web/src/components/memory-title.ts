/** The title of a memory: its first line, truncated at a word. */
export function memoryTitle(content: string, maxChars = 80): string {
  const line = content.trim().split('\n', 1)[0] ?? '';
  if (line.length <= maxChars) return line;
  const cut = line.slice(0, maxChars);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > maxChars / 2 ? space : maxChars)}…`;
}
