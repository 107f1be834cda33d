/** Explains whether the browser may delete the stored memory, in one sentence. */
export function storageSentence(isPersistent: boolean): string {
  return isPersistent
    ? 'This browser keeps the memory until you delete the data of this site.'
    : 'This browser may delete the memory when space on the disk is short: export it from time to time.';
}
