import { notify } from '../../app/toasts.tsx';

const DECIMALS = 3;
const PLAIN = /^[+-]?(\d+[.,]?\d*|[.,]\d+)$/;
const PERCENT = /\s*%$/;

/** Parses a number with a decimal point or comma; `undefined` for other text. `80 %` is 0.8. */
export function numberOf(text: string): number | undefined {
  const typed = text.trim();
  const bare = typed.replace(PERCENT, '');
  if (!PLAIN.test(bare)) return undefined;
  const number = Number(bare.replace(',', '.'));
  return bare === typed ? number : number / 100;
}

/** Formats a number without insignificant digits. */
export function shortNumber(value: number): string {
  return String(Number(value.toFixed(DECIMALS)));
}

/** Stores the input if it is a number, else notifies the user. Returns whether it was stored. */
export async function saveNumber(
  typed: string,
  range: string,
  save: (number: number) => Promise<boolean>,
): Promise<boolean> {
  const number = numberOf(typed);
  if (number !== undefined) return save(number);
  notify({ text: `“${typed}” is not a number.`, detail: `Enter a number ${range}.`, isError: true });
  return false;
}
