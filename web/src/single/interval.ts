/** Whether something was stored in a time; its end is not in it. Times and days compare as text. */
export function isWithin(storedAt: string, since: string | undefined, until: string | undefined): boolean {
  return (since === undefined || storedAt >= plain(since)) && (until === undefined || storedAt < plain(until));
}

/** ISO 8601 as times are stored. */
function plain(moment: string): string {
  return moment.replace('T', ' ').replace(/(\.\d+)?Z$/, '');
}
