/**
 * True if the text is a UUID in the format of PostgreSQL. Any other text as a uuid parameter would
 * cause a database error.
 */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
