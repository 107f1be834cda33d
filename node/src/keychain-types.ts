/** Types of the keychains of all systems. */

/** Secrets by account. */
export interface Keychain {
  /** Whether there is a keychain. It may be locked. */
  exists(): boolean;
  /** The secret of an account; `undefined` if there is none, or there is no keychain. */
  find(account: string): string | undefined;
  /** Stores the secret of an account, in place of an earlier one, and reads it back. */
  store(account: string, secret: string): void;
  /** Removes the secret of an account, if there is one. */
  forget(account: string): void;
  /** Where the secret of an account is, for a person. */
  place(account: string): string;
  /** How a person removes it. */
  removal(account: string): string;
}
