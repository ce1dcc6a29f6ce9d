/**
 * True for a UUID as PostgreSQL formats it. Other text as a uuid parameter would raise a database
 * error.
 */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
