/**
 * The only trace of a socket message whose type this page does not know: a line in the browser's
 * console.
 */
export function logUnknownMessage(data: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the console is the log of a page.
  console.warn('Unknown message on the live socket', data)
}
