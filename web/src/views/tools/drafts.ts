/** The form input for each tool, kept until the page is closed. */
export const drafts = new Map<string, Readonly<Record<string, unknown>>>();
