import { OPTIONS } from './options.ts';
import { defaultDatabase } from './paths.ts';

/** What `--help` shows. */
export function helpText(): string {
  const lines = (forTests: boolean): string =>
    OPTIONS.filter((option) => (option.forTests ?? false) === forTests)
      .map((option) => {
        const left = `--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
        return `  ${left.padEnd(20)} ${option.text}${option.env === undefined ? '' : ` (${option.env})`}`;
      })
      .join('\n');
  return `limbic-memory: long-term memory for AI agents, an MCP server over stdio and HTTP

Usage: limbic-memory [options]

An MCP client starts this program and talks to it; started by hand it waits for a client on its standard input.
With --http or --ui it prints the address and the token that clients need, and runs until Ctrl-C.

Options (and the environment variables that do the same):
${lines(false)}

The database lies in ${defaultDatabase(process.env)} unless --db says otherwise.

For tests:
${lines(true)}
`;
}
