export interface TriedAnswer {
  /** Status code and text, or why there was no response. */
  status: string
  text: string
}

/**
 * Calls this server; other origins are rejected. Does not throw: errors are returned as a result.
 */
export async function tryCall(method: string, address: string, body: string | null): Promise<TriedAnswer> {
  if (!address.startsWith('/api/')) return { status: 'Not sent', text: 'The address must begin with /api/.' }
  if (body !== null && !isJson(body)) return { status: 'Not sent', text: 'The body is not JSON.' }
  try {
    const answer = await fetch(address, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json' },
      ...(body === null ? {} : { body }),
    })
    if (answer.type === 'opaqueredirect')
      return { status: 'Redirect', text: 'Open this address in the browser itself.' }
    return { status: `${answer.status} ${answer.statusText}`.trim(), text: indent(await answer.text()) }
  } catch {
    return { status: 'No answer', text: 'The server could not be reached.' }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function indent(text: string): string {
  return isJson(text) ? JSON.stringify(JSON.parse(text), null, 2) : text
}
