/** Filters of LangGraph's stores: a value for equality, or an object of comparisons. */
const COMPARISONS: Readonly<Record<string, (value: unknown, given: unknown) => boolean>> = {
  $eq: (value, given) => value === given,
  $ne: (value, given) => value !== given,
  $gt: (value, given) => Number(value) > Number(given),
  $gte: (value, given) => Number(value) >= Number(given),
  $lt: (value, given) => Number(value) < Number(given),
  $lte: (value, given) => Number(value) <= Number(given),
  $in: (value, given) => Array.isArray(given) && given.includes(value),
  $nin: (value, given) => !Array.isArray(given) || !given.includes(value),
};

/** Whether a value's fields match the filter. */
export function passes(
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>> = {},
): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const found = value[name];
    if (!isComparison(wanted)) return found === wanted;
    return Object.entries(wanted).every(([operator, given]) => COMPARISONS[operator]?.(found, given) === true);
  });
}

function isComparison(wanted: unknown): wanted is Readonly<Record<string, unknown>> {
  return typeof wanted === 'object' && wanted !== null && Object.keys(wanted).every((name) => name in COMPARISONS);
}
