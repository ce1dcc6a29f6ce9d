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
  '/admin-auth',
  '/documentation',
  '/api-reference',
  '/contact-support',
])
/**
 * Matches the page of an asset. The path contains the encoded symbol: a tilde escapes hyphens, dots
 * and tildes. A path with an unescaped dot does not match, because it is the path of a file.
 */
const ASSET_PAGE = /^\/assets\/(?:[\w%!'()*-]|~[~.-])+$/

/**
 * Returns the requested path with its query and fragment if it is allowed, otherwise `defaultPath`.
 */
export function getSafeReturnPath(requestedPath: string | undefined, defaultPath: string): string {
  const [, page = '', rest = ''] = /^([^?#]+)((?:\?[\w\-.~=&%]*)?(?:#[\w\-.~=&%]*)?)$/.exec(requestedPath ?? '') ?? []
  return PAGES.has(page) || ASSET_PAGE.test(page) ? `${page}${rest}` : defaultPath
}
