import { ApiError } from './api.ts'

export interface ErrorReport {
  /** Random id of the report, also logged to the console with the error. */
  id: string
  /**
   * JSON for a support request. Excludes the URL's query and fragment, which may contain tokens
   * from email links.
   */
  text: string
}

/** Creates a report with a random id for an error that broke a page, and logs it. */
export function createErrorReport(error: unknown): ErrorReport {
  const id = formatId(crypto.getRandomValues(new Uint8Array(4)))
  const requestId = error instanceof ApiError ? error.requestId : null
  const report = {
    report: id,
    at: new Date().toISOString(),
    page: location.pathname,
    ...(requestId === null ? {} : { requestId }),
    browser: navigator.userAgent,
    error: describeError(error),
  }
  reportError(new Error(`Error report ${id}`, { cause: error }))
  return { id, text: JSON.stringify(report, null, 2) }
}

function formatId(bytes: Uint8Array): string {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 4)}-${hex.slice(4)}`.toUpperCase()
}

/** The stack, with the message prepended in browsers whose stacks lack it. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const summary = `${error.name}: ${error.message}`
  const stack = error.stack ?? ''
  return stack.includes(error.message) ? stack : `${summary}\n${stack}`
}
