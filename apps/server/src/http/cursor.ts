/** A cursor that is a rising number, as a client gave it; what is none begins at the first page. */
export function parseCursor(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
