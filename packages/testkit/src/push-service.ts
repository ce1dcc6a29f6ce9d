import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The keys of a browser (RFC 8291). */
export interface BrowserKeys {
  curve: ECDH
  auth: Buffer
}

export interface ReceivedPush {
  path: string
  headers: IncomingHttpHeaders
  /** The message, still encrypted. */
  body: Buffer
}

export interface PushService {
  /** Messages in the order in which they arrived. */
  received: ReceivedPush[]
  /** Statuses of the next responses by path. After them, the service responds with 201. */
  plannedResponses: Map<string, { status: number; headers?: Record<string, string> }[]>
  /** Creates a new subscription of a browser. */
  subscribe(): { path: string; keys: BrowserKeys; subscription: { endpoint: string; p256dh: string; auth: string } }
  close(): void
}

/**
 * Starts a push service on this machine in the wire format of RFC 8030.
 * @param onReceived called with each message
 */
export async function startPushService(onReceived?: (push: ReceivedPush) => void): Promise<PushService> {
  const received: ReceivedPush[] = []
  const plannedResponses: PushService['plannedResponses'] = new Map()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const push = { path, headers: request.headers, body: Buffer.concat(chunks) }
      received.push(push)
      onReceived?.(push)
      const { status, headers } = plannedResponses.get(path)?.shift() ?? { status: 201, headers: { location: '/m/1' } }
      response.writeHead(status, headers).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    received,
    plannedResponses,
    subscribe() {
      const { keys, publicKeys } = createBrowserKeys()
      const path = `/push/${randomBytes(12).toString('base64url')}`
      return { path, keys, subscription: { endpoint: origin + path, ...publicKeys } }
    },
    close: () => server.close(),
  }
}

/** Creates the keys of a browser (RFC 8291), and their form in a subscription. */
export function createBrowserKeys(): { keys: BrowserKeys; publicKeys: { p256dh: string; auth: string } } {
  const curve = createECDH('prime256v1')
  const p256dh = curve.generateKeys('base64url')
  const auth = randomBytes(16)
  return { keys: { curve, auth }, publicKeys: { p256dh, auth: auth.toString('base64url') } }
}

/**
 * Decrypts a message with one record by RFC 8291 and RFC 8188.
 * @throws Error if the message is malformed or encrypted for other keys
 */
export function decryptPush({ curve, auth }: BrowserKeys, message: Buffer): string {
  const salt = message.subarray(0, 16)
  const idLength = message[20] ?? 0
  if (idLength !== 65) throw new Error('The key of the sender must have 65 bytes')
  const senderKey = message.subarray(21, 21 + idLength)
  const record = message.subarray(21 + idLength)
  if (record.length < 17 || record.length > message.readUInt32BE(16)) throw new Error('Expected one record')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), senderKey])
  const secret = deriveKey(curve.computeSecret(senderKey), auth, info, 32)
  const key = deriveKey(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = deriveKey(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
  const paddedMessage = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = paddedMessage.lastIndexOf(2)
  if (end === -1 || paddedMessage.subarray(end + 1).some((byte) => byte !== 0))
    throw new Error('The padding is not valid')
  return paddedMessage.subarray(0, end).toString('utf8')
}

const deriveKey = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/**
 * Returns the claims of a VAPID header (RFC 8292).
 * @throws Error if the signature was not made with the key in the header
 */
export function readVapid(header: string | undefined): { aud: string; exp: number; sub: string; key: string } {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header ?? '') ?? []
  const [head, claims = '', signature = ''] = token.split('.')
  const publicPoint = Buffer.from(key, 'base64url')
  const [x, y] = [publicPoint.subarray(1, 33), publicPoint.subarray(33)].map((half) => half.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signingInput = Buffer.from(`${head}.${claims}`)
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
  if (!verify('sha256', signingInput, options, Buffer.from(signature, 'base64url')))
    throw new Error('Not signed by its key')
  return { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), key }
}
