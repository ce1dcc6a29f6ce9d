import { writeSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * Writes directly to the kernel, bypassing Node's stream, so that the writes of a batch follow each
 * other immediately. docs/decisions/2026-11-28-writes-to-sockets.md has figures, and says when this
 * function will be removed.
 * @returns the bytes that the kernel did not accept; all bytes if the stream has queued data or the
 *   socket has no descriptor (Windows, TLS)
 */
export function writeNow(socket: Socket, bytes: Buffer): Buffer | null {
  const descriptor = getDescriptor(socket)
  return descriptor < 0 ? bytes : writeTo(descriptor, bytes)
}

/** @returns the bytes that the kernel did not accept */
export function writeTo(descriptor: number, bytes: Buffer): Buffer | null {
  try {
    const writtenCount = writeSync(descriptor, bytes)
    return writtenCount === bytes.length ? null : bytes.subarray(writtenCount)
  } catch {
    // The buffer is full (EAGAIN) or the socket is closed. The stream retries or reports the error.
    return bytes
  }
}

/**
 * Returns the socket's descriptor, or -1 if bytes must go through the stream, because it has queued
 * data or no open descriptor. The result is valid until the next event.
 */
export function getDescriptor(socket: Socket): number {
  if (socket.writableLength > 0 || socket.destroyed || !socket.writable || 'encrypted' in socket) return -1
  // Node stores the descriptor in this undocumented property. If it is missing, all bytes go
  // through the stream.
  const handle: unknown = Reflect.get(socket, '_handle')
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  return typeof fd === 'number' ? fd : -1
}
