/** Inserts no-break spaces, so that "1.8 %" and "15 min" stay on one line. */
export function addNoBreakSpaces(text: string): string {
  return text.replace(/(\d) (?=%|(?:min|h|s|days?)\b)/g, '$1\u00a0')
}
