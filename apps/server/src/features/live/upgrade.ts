import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorBody, type RefusalCode, refusalStatus } from '@tocsin/protocol'
import { getNetwork } from '../../http/network.ts'

/** Rejects an upgrade with a plain HTTP response. @returns the request id in that response */
export function refuseUpgrade(socket: Duplex, code: RefusalCode, message: string, retryAfterSeconds?: number): string {
  const requestId = randomUUID()
  if (!socket.writable) return requestId
  const body: ErrorBody = { success: false, code, message, requestId }
  const text = JSON.stringify(body)
  // The socket allows half-open connections and has no timeout after an upgrade, so `end` alone
  // would keep it open until the client closes its side.
  socket.once('finish', () => socket.destroy())
  socket.end(
    [
      `HTTP/1.1 ${refusalStatus[code]} Refused`,
      'Connection: close',
      'Content-Type: application/json',
      'Cache-Control: no-store',
      ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`]),
      `Content-Length: ${Buffer.byteLength(text)}`,
      '',
      text,
    ].join('\r\n'),
  )
  return requestId
}

/**
 * Returns whether one of our pages opened the socket. Browsers always send the Origin header. A
 * request without it is rejected too, because the cookie authenticates the request (CSRF).
 */
export function isOwnOrigin(request: IncomingMessage, publicUrl: string): boolean {
  return request.headers.origin === new URL(publicUrl).origin
}

/**
 * Returns true for a request without Origin and cookie. A program is authenticated by a wallet's
 * signature or an API key.
 */
export function isProgram({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined && headers.cookie === undefined
}

/** Returns true for a page of any origin that will send an API key. Its cookies are ignored. */
export function announcesKey(request: IncomingMessage): boolean {
  return /^\/ws\?auth=key$/.test(request.url ?? '')
}

export function isStreamPath(request: IncomingMessage): boolean {
  return /^\/ws(\?|$)/.test(request.url ?? '')
}

/**
 * Returns the client's network, from the address that the outermost trusted proxy has seen. Earlier
 * addresses in the header can be forged.
 */
export function getClientNetwork(request: IncomingMessage, trustedProxies: number): string {
  const forwardedAddresses = String(request.headers['x-forwarded-for'] ?? '').split(',')
  const clientAddress =
    trustedProxies > 0 ? forwardedAddresses.at(-Math.min(trustedProxies, forwardedAddresses.length))?.trim() : ''
  return getNetwork(clientAddress || (request.socket.remoteAddress ?? ''))
}
