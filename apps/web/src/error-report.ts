import { ApiError } from './api.ts'

export interface ErrorReport {
  /** Also in the browser's console, beside the error itself. */
  id: string
  /** All that helps to find the cause. Holds no query and no fragment of the address: links from mails carry tokens there. */
  text: string
}

/** Names an error that ended a page, and logs it under that name. */
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

/** The stack, which names the message in some browsers and not in others. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const summary = `${error.name}: ${error.message}`
  const stack = error.stack ?? ''
  return stack.includes(error.message) ? stack : `${summary}\n${stack}`
}
