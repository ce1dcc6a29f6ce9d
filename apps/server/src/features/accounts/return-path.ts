/**
 * Allowlist of pages for the redirect after sign-in. It contains only paths of this site, so that a
 * redirect cannot lead to another site.
 */
const PAGES = new Set([
  '/',
  '/dashboard',
  '/notifications',
  '/history',
  '/verification',
  '/transparency',
  '/settings',
  '/settings/channels',
  '/admin',
  '/documentation',
  '/api-reference',
  '/contact-support',
])

/** Returns the requested path with its query and fragment if it is allowed, otherwise `usual`. */
export function safeReturnPath(requested: string | undefined, usual: string): string {
  const [, page = '', rest = ''] = /^([a-z/-]+)((?:\?[\w\-.~=&%]*)?(?:#[\w\-.~=&%]*)?)$/.exec(requested ?? '') ?? []
  return PAGES.has(page) ? `${page}${rest}` : usual
}
