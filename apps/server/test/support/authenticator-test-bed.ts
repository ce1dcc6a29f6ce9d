import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Changes that a hostile authenticator or browser makes. */
export interface Forgery {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  flags?: number
  counter?: number
  credentialId?: string
  userHandle?: string
  fmt?: string
  alg?: number
  attestationObject?: Buffer
  authenticatorData?: Buffer
  signature?: Buffer
}

const [UP, UV, BE, BS, AT] = [0x01, 0x04, 0x08, 0x10, 0x40]
export const flags = { UP, UV, BE, BS }

type CborItem = number | string | Buffer | Map<number | string, CborItem>

/** Encodes the few types of CBOR (RFC 8949) that WebAuthn needs. */
function encodeCbor(item: CborItem): Buffer {
  if (typeof item === 'number') return item < 0 ? encodeCborHead(1, -1 - item) : encodeCborHead(0, item)
  if (typeof item === 'string') return Buffer.concat([encodeCborHead(3, Buffer.byteLength(item)), Buffer.from(item)])
  if (Buffer.isBuffer(item)) return Buffer.concat([encodeCborHead(2, item.length), item])
  return Buffer.concat([
    encodeCborHead(5, item.size),
    ...[...item].flatMap(([key, value]) => [encodeCbor(key), encodeCbor(value)]),
  ])
}

function encodeCborHead(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  if (size < 256) return Buffer.from([(major << 5) | 24, size])
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const toBase64Url = (bytes: Buffer) => bytes.toString('base64url')

/** Creates an authenticator with one ES256 credential, and the browser that uses it. */
export function createAuthenticator({ origin, rpId }: { origin: string; rpId: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  let counter = 0

  const createClientData = (type: string, challenge: string, forgery: Forgery) =>
    Buffer.from(
      JSON.stringify({
        type: forgery.type ?? type,
        challenge: forgery.challenge ?? challenge,
        origin: forgery.origin ?? origin,
        crossOrigin: false,
      }),
    )
  function createAuthData(forgery: Forgery, extraBytes: Buffer, extraFlags = 0): Buffer {
    counter += 1
    const counterBytes = Buffer.alloc(4)
    counterBytes.writeUInt32BE(forgery.counter ?? counter)
    const flagBits = (forgery.flags ?? UP | UV) | extraFlags
    return Buffer.concat([sha256(forgery.rpId ?? rpId), Buffer.from([flagBits]), counterBytes, extraBytes])
  }
  const sharedFields = { type: 'public-key' as const, clientExtensionResults: {} }

  return {
    id: toBase64Url(id),
    create({ challenge }: { challenge: string }, forgery: Forgery = {}) {
      const coseKey = encodeCbor(
        new Map<number, CborItem>([
          [1, 2],
          [3, forgery.alg ?? -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      )
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey])
      const signedData = createAuthData(forgery, credential, AT)
      const clientDataJson = createClientData('webauthn.create', challenge, forgery)
      const signature = sign('sha256', Buffer.concat([signedData, sha256(clientDataJson)]), privateKey)
      const statement = new Map<string, CborItem>(
        forgery.fmt === 'packed'
          ? [
              ['alg', -7],
              ['sig', signature],
            ]
          : [],
      )
      const attestation = new Map<string, CborItem>([
        ['fmt', forgery.fmt ?? 'none'],
        ['attStmt', statement],
        ['authData', signedData],
      ])
      return {
        ...sharedFields,
        id: toBase64Url(id),
        rawId: toBase64Url(id),
        response: {
          clientDataJSON: toBase64Url(clientDataJson),
          attestationObject: toBase64Url(forgery.attestationObject ?? encodeCbor(attestation)),
          transports: ['internal'],
        },
      }
    },
    get({ challenge }: { challenge: string }, forgery: Forgery = {}) {
      const signedData = forgery.authenticatorData ?? createAuthData(forgery, Buffer.alloc(0))
      const clientDataJson = createClientData('webauthn.get', challenge, forgery)
      const signature = sign('sha256', Buffer.concat([signedData, sha256(clientDataJson)]), privateKey)
      const usedId = forgery.credentialId ?? toBase64Url(id)
      return {
        ...sharedFields,
        id: usedId,
        rawId: usedId,
        response: {
          clientDataJSON: toBase64Url(clientDataJson),
          authenticatorData: toBase64Url(signedData),
          signature: toBase64Url(forgery.signature ?? signature),
          ...(forgery.userHandle === undefined ? {} : { userHandle: forgery.userHandle }),
        },
      }
    },
  }
}
