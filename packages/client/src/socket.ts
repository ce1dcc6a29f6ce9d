/**
 * The part of the WebSocket interface that the stream uses. Browsers, Node and the package `ws`
 * provide it, each with its own event types.
 */
export interface Socket {
  send(text: string): void
  close(): void
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
}

export type SocketConstructor = new (url: string) => Socket

/**
 * Returns the global WebSocket of the platform.
 * @throws Error if the platform has no global WebSocket
 */
export function findWebSocket(): SocketConstructor {
  // The cast declares the global, because this package compiles without the DOM and Node types.
  const { WebSocket } = globalThis as { WebSocket?: SocketConstructor }
  if (!WebSocket) throw new Error('No global WebSocket: pass one as option, for example from the package "ws"')
  return WebSocket
}
