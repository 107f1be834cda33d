const IME_KEY_CODE = 229;

/**
 * Whether a key belongs to an input method, which Enter and Escape end there without any other effect. Safari reports
 * the end of the composition before the key that ended it, which then has only the key code of an input method.
 */
export function isComposing({ nativeEvent }: React.KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === IME_KEY_CODE;
}
