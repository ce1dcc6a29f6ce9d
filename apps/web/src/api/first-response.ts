declare global {
  /** Set by public/theme.js. */
  var firstResponse: { url: string; response: Promise<Response> } | undefined
}

/**
 * The response to a request that the page has sent before its scripts ran. It is given once,
 * because a body can be read once.
 */
export function takeFirstResponse(url: string): Promise<Response> | null {
  const first = globalThis.firstResponse
  if (first?.url !== url) return null
  globalThis.firstResponse = undefined
  return first.response
}
