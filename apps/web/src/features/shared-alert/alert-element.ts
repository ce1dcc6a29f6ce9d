/**
 * Encloses the content of an alert's page. The server puts the alert in its place
 * (apps/server/src/features/system/alert-pages.ts), so it must occur once.
 */
export const alertElement = 'alert-content'

/** Id of the element with the alert as JSON. Also in apps/server/src/features/system. */
const dataId = 'alert-data'

/** The JSON that the server put into the page; null without it, and while prerendering. */
export function readAlertJson(): string | null {
  if (typeof document === 'undefined') return null
  return document.getElementById(dataId)?.textContent ?? null
}
