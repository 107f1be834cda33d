/** `limbic-memory token`: creates, lists and revokes the tokens of clients over HTTP. */
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';
import type { TokenOptions } from './token-options.ts';
import { describeToken, TokenStore } from './token-store.ts';

/** Runs the command. Returns the exit code. */
export function runToken(options: TokenOptions): number {
  const store = new TokenStore(options.db);
  try {
    switch (options.action) {
      case 'create':
        process.stdout.write(`${store.create(options.name, options.rights)}\n`);
        log(`clients send it as "Authorization: Bearer TOKEN"; it is not stored and cannot be shown again`);
        return 0;
      case 'list':
        for (const token of store.list()) process.stdout.write(`${JSON.stringify(describeToken(token))}\n`);
        return 0;
      case 'revoke':
        if (store.revoke(options.name)) return 0;
        log(`there is no token "${options.name}"; token list prints them`);
        return 1;
    }
  } catch (error) {
    log(textOf(error));
    return 1;
  }
}
