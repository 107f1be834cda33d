export const NOTICES_FILE: string;
export function thirdPartyNotices(modules: Iterable<string>): string;
