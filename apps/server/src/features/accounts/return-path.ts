/** The pages that somebody may be sent back to. A path, of this site, from this list: never an address. */
const PAGES = new Set([
  '/',
  '/dashboard',
  '/notifications',
  '/history',
  '/verification',
  '/transparency',
  '/settings',
  '/admin',
  '/documentation',
  '/api-reference',
  '/contact-support',
])

/** The asked-for page with its query and hash, or the usual one. */
export function safeReturnPath(asked: string | undefined, usual: string): string {
  const [, page = '', rest = ''] = /^([a-z/-]+)((?:\?[\w\-.~=&%]*)?(?:#[\w\-.~=&%]*)?)$/.exec(asked ?? '') ?? []
  return PAGES.has(page) ? `${page}${rest}` : usual
}
