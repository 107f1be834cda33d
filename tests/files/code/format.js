export function format(text) {
  return text.trim();
}
const parse = (text) => format(text);
export { parse };
export default class Formatter {}
