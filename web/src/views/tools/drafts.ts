/** What was entered for each tool, kept while the page lives. */
export const drafts = new Map<string, Readonly<Record<string, unknown>>>();
