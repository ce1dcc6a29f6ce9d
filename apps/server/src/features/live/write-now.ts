import { writeSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * Writes to the kernel at once, past Node's stream, whose bookkeeping costs more than the write itself when the same bytes go to thousands.
 * @returns what the kernel did not take; all of it where something waits already, or the socket has no descriptor (Windows, TLS)
 */
export function writeNow(socket: Socket, bytes: Buffer): Buffer | null {
  const descriptor = descriptorOf(socket)
  return descriptor < 0 ? bytes : writeTo(descriptor, bytes)
}

/** @returns what the kernel did not take */
export function writeTo(descriptor: number, bytes: Buffer): Buffer | null {
  try {
    const taken = writeSync(descriptor, bytes)
    return taken === bytes.length ? null : bytes.subarray(taken)
  } catch {
    // Full (EAGAIN), or gone: the stream waits, or finds out.
    return bytes
  }
}

/** -1 where bytes must take the stream: it holds earlier ones, or it has no descriptor that is open. Good until the next event. */
export function descriptorOf(socket: Socket): number {
  if (socket.writableLength > 0 || socket.destroyed || !socket.writable || 'encrypted' in socket) return -1
  // Node keeps it there without documenting it; without it everything takes the stream.
  const handle: unknown = Reflect.get(socket, '_handle')
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  return typeof fd === 'number' ? fd : -1
}
