/** Parses a numeric cursor. An invalid cursor means the first page. */
export function parseCursor(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
