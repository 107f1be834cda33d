/** An amount in cents as text. */
export function formatMoney(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}
