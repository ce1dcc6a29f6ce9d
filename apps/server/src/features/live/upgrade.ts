import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorBody, type RefusalCode, refusalStatus } from '@tocsin/protocol'
import { networkOf } from '../../http/network.ts'

/** Answers an upgrade with a refusal, as plain HTTP before any WebSocket exists. @returns the id that the answer names */
export function refuseUpgrade(socket: Duplex, code: RefusalCode, message: string, retryAfterSeconds?: number): string {
  const requestId = randomUUID()
  if (!socket.writable) return requestId
  const body: ErrorBody = { success: false, code, message, requestId }
  const text = JSON.stringify(body)
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

/** Whether a page of ours asks. A browser always names the page's origin; a missing one is foreign too, because the cookie speaks. */
export function isOwnOrigin(request: IncomingMessage, publicUrl: string): boolean {
  return request.headers.origin === new URL(publicUrl).origin
}

/** Neither a page of anybody's nor with a cookie of ours: nothing speaks for it but what it will sign. */
export function isProgram({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined && headers.cookie === undefined
}

export function isStreamPath(request: IncomingMessage): boolean {
  return /^\/ws(\?|$)/.test(request.url ?? '')
}

/** Who asks: the network of the address that the outermost of our own proxies saw. What stands before it in the header anybody can write. */
export function networkAsking(request: IncomingMessage, trustedProxies: number): string {
  const seen = String(request.headers['x-forwarded-for'] ?? '').split(',')
  const outermost = trustedProxies > 0 ? seen.at(-Math.min(trustedProxies, seen.length))?.trim() : ''
  return networkOf(outermost || (request.socket.remoteAddress ?? ''))
}
