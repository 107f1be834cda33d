import { OPTIONS, optionList } from './options.ts';
import { defaultDatabase } from './paths.ts';

/** Returns the output of `--help`. */
export function helpText(): string {
  const lines = (forTests: boolean): string =>
    optionList(OPTIONS.filter((option) => (option.forTests ?? false) === forTests));
  return `limbic-memory: long-term memory for AI agents, an MCP server over stdio and HTTP

Usage: limbic-memory [options]
       limbic-memory export --out FILE [--format FORMAT] [--user ID] [--force] [--db PATH]
       limbic-memory export --html FILE [--types A,B] [--force] [--db PATH]
       limbic-memory hook session-start|user-prompt-submit|pre-compact|session-end|pre-tool-use|post-tool-use|install
       limbic-memory audit [--memory ID] [--user ID] [--origin LABEL] [--limit N]
       limbic-memory inbox [list|accept ID...|reject ID...|trust ORIGIN...|distrust ORIGIN...] [--db PATH]
       limbic-memory token [list|create NAME|revoke NAME] [--db PATH]
       limbic-memory check [--db PATH]
       limbic-memory compact [--db PATH]
       limbic-memory unlock [--db PATH] [--yes]
       limbic-memory key encrypt|rotate|export [--db PATH]
       limbic-memory model check DIR [--model-dimensions N]

An MCP client starts this program and communicates over stdio; started by hand, it waits for a client on standard input.
With --http or --ui it prints the addresses, and at a terminal the tokens for clients, and runs until Ctrl-C.

Options (and their environment variables):
${lines(false)}

The default database is ${defaultDatabase(process.env)}.

For tests:
${lines(true)}
`;
}
