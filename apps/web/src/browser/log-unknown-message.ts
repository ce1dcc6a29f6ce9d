/**
 * Logs a socket message whose type this page does not know to the browser's console. The page
 * ignores the message otherwise.
 */
export function logUnknownMessage(data: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the console is the log of a page.
  console.warn('Unknown message on the live socket', data)
}
