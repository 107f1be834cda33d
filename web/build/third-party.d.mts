export const NOTICES_FILE: string;
export function thirdPartyNotices(modules: Iterable<string>): string;

/** The headings of the packages in the notices. `modules` are paths of the bundled modules. */
export function packageHeadings(modules: Iterable<string>): string[];
