/** Whether this can be an id of ours: a UUID as PostgreSQL writes it. Another text as a parameter of a uuid column would be a fault. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
