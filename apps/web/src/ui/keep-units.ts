/** Keeps "1.8 %" on one line. The engine's summaries have a space before the sign. */
export function keepUnits(text: string): string {
  return text.replace(/(\d) (?=%)/g, '$1\u00a0')
}
