/** Returns the LIKE pattern of texts that contain `search`. */
export function createLikePattern(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`
}
