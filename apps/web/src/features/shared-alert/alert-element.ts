/**
 * Name of the element around the content of an alert's page. It must occur once, because the server
 * inserts the alert there (apps/server/src/features/system/alert-pages.ts).
 */
export const alertElement = 'alert-content'

/**
 * Id of the element that contains the alert as JSON. The server uses the same id
 * (apps/server/src/features/system).
 */
const dataId = 'alert-data'

/**
 * Reads the JSON that the server put into the page. Null if the page has no JSON, and while
 * prerendering.
 */
export function readAlertJson(): string | null {
  if (typeof document === 'undefined') return null
  return document.getElementById(dataId)?.textContent ?? null
}
