/** What of a WebSocket is used: the browser's, Node's and that of the package `ws` all have it, each with events of its own type. */
export interface Socket {
  send(text: string): void
  close(): void
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
}

export type SocketConstructor = new (url: string) => Socket

/** The platform's own. */
export function findWebSocket(): SocketConstructor {
  // Typed here, because this package knows neither DOM nor Node.
  const { WebSocket } = globalThis as { WebSocket?: SocketConstructor }
  if (!WebSocket) throw new Error('There is no WebSocket here: hand one in, such as that of the package "ws"')
  return WebSocket
}
