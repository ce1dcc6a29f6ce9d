/**
 * Logs a WebSocket message that this page cannot parse, for example because it does not know its
 * type, in the browser's console. The page ignores the message otherwise.
 */
export function logUnknownMessage(data: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the console is the log of a page.
  console.warn('Unknown message on the live socket', data)
}
