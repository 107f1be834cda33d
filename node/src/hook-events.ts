/** The host's events, the hook for each, and the tools it is for. */
export const EVENTS: readonly { readonly event: string; readonly hook: string; readonly matcher?: string }[] = [
  { event: 'SessionStart', hook: 'session-start' },
  { event: 'UserPromptSubmit', hook: 'user-prompt-submit' },
  { event: 'PreCompact', hook: 'pre-compact' },
  { event: 'SessionEnd', hook: 'session-end' },
  { event: 'PreToolUse', hook: 'pre-tool-use', matcher: 'Bash|Read|Edit|MultiEdit|Write|NotebookEdit' },
  { event: 'PostToolUse', hook: 'post-tool-use', matcher: 'Bash' },
  { event: 'PostToolUseFailure', hook: 'post-tool-use', matcher: 'Bash' },
];

/** The names of the hooks. */
export const HOOKS: ReadonlySet<string> = new Set(EVENTS.map(({ hook }) => hook));

/** The hooks that store marked lines; the others only read. */
export const HOOKS_THAT_STORE: ReadonlySet<string> = new Set(['pre-compact', 'session-end']);
