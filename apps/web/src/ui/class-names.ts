/**
 * Joins the truthy class names. Later classes do not override earlier ones, so pass only layout
 * classes as `className`.
 */
export function classNames(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
