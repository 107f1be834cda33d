/** An open memory, as the handlers of other programs' memory interfaces see it. */

/** Calls a tool. */
export type Call = (tool: string, input: unknown, options?: { readonly asStored?: boolean }) => Promise<unknown>;

export interface OpenMemory {
  readonly call: Call;
  /** The only user whose memories it reaches; absent from an object that only passes calls on. */
  readonly user?: string | undefined;
  /** Whether personal data is removed from what it stores. */
  readonly redact?: 'pii' | undefined;
}

/** Whose memories a handler has: those of one user, or those without an owner. */
export interface Owner {
  /** The argument of tools that names the user; empty if the memory reaches that user's memories alone. */
  readonly argument: { readonly user_id?: string };
  readonly user: string | undefined;
  /** Whether a memory is the owner's. */
  owns(row: { readonly user_id?: string }): boolean;
}

/** Returns the owner of a handler whose option is `userId`. */
export function ownerOf(memory: OpenMemory, userId: string | undefined): Owner {
  const user = userId ?? memory.user;
  // Without either, an object that passes calls on may reach the memories of one user, whom nothing names here.
  const isKnown = userId !== undefined || 'user' in memory;
  return {
    argument: userId === undefined ? {} : { user_id: userId },
    user,
    owns: (row) => !isKnown || row.user_id === user,
  };
}
