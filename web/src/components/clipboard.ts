/** Puts a text on the clipboard. Returns whether the browser allowed it. */
export async function writeToClipboard(text: string): Promise<boolean> {
  // There is no clipboard object in a context that is not secure.
  if (navigator.clipboard === undefined) return copySelected(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

/** Copies by way of a field outside the view, and gives the focus back. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('aria-hidden', 'true');
  field.style.position = 'fixed';
  field.style.left = '-200vw';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
