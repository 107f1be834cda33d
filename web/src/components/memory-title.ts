/** The title of a memory: its first line, truncated at a word. */
export function memoryTitle(content: string, most = 80): string {
  const line = content.trim().split('\n', 1)[0] ?? '';
  if (line.length <= most) return line;
  const cut = line.slice(0, most);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > most / 2 ? space : most)}…`;
}
