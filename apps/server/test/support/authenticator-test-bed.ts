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

type Item = number | string | Buffer | Map<number | string, Item>

/** Encodes the few types of CBOR (RFC 8949) that WebAuthn needs. */
function encode(item: Item): Buffer {
  if (typeof item === 'number') return item < 0 ? head(1, -1 - item) : head(0, item)
  if (typeof item === 'string') return Buffer.concat([head(3, Buffer.byteLength(item)), Buffer.from(item)])
  if (Buffer.isBuffer(item)) return Buffer.concat([head(2, item.length), item])
  return Buffer.concat([head(5, item.size), ...[...item].flatMap(([key, value]) => [encode(key), encode(value)])])
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  if (size < 256) return Buffer.from([(major << 5) | 24, size])
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const text = (bytes: Buffer) => bytes.toString('base64url')

/** Creates an authenticator with one ES256 credential, and the browser that uses it. */
export function createAuthenticator({ origin, rpId }: { origin: string; rpId: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  let counter = 0

  const clientData = (type: string, challenge: string, forged: Forgery) =>
    Buffer.from(
      JSON.stringify({
        type: forged.type ?? type,
        challenge: forged.challenge ?? challenge,
        origin: forged.origin ?? origin,
        crossOrigin: false,
      }),
    )
  function authData(forged: Forgery, more: Buffer, extraFlags = 0): Buffer {
    counter += 1
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(forged.counter ?? counter)
    const set = (forged.flags ?? UP | UV) | extraFlags
    return Buffer.concat([sha256(forged.rpId ?? rpId), Buffer.from([set]), counted, more])
  }
  const shared = { type: 'public-key' as const, clientExtensionResults: {} }

  return {
    id: text(id),
    create({ challenge }: { challenge: string }, forged: Forgery = {}) {
      const coseKey = encode(
        new Map<number, Item>([
          [1, 2],
          [3, forged.alg ?? -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      )
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey])
      const data = authData(forged, credential, AT)
      const clientDataJson = clientData('webauthn.create', challenge, forged)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJson)]), privateKey)
      const statement = new Map<string, Item>(
        forged.fmt === 'packed'
          ? [
              ['alg', -7],
              ['sig', signature],
            ]
          : [],
      )
      const attestation = new Map<string, Item>([
        ['fmt', forged.fmt ?? 'none'],
        ['attStmt', statement],
        ['authData', data],
      ])
      return {
        ...shared,
        id: text(id),
        rawId: text(id),
        response: {
          clientDataJSON: text(clientDataJson),
          attestationObject: text(forged.attestationObject ?? encode(attestation)),
          transports: ['internal'],
        },
      }
    },
    get({ challenge }: { challenge: string }, forged: Forgery = {}) {
      const data = forged.authenticatorData ?? authData(forged, Buffer.alloc(0))
      const clientDataJson = clientData('webauthn.get', challenge, forged)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJson)]), privateKey)
      const usedId = forged.credentialId ?? text(id)
      return {
        ...shared,
        id: usedId,
        rawId: usedId,
        response: {
          clientDataJSON: text(clientDataJson),
          authenticatorData: text(data),
          signature: text(forged.signature ?? signature),
          ...(forged.userHandle === undefined ? {} : { userHandle: forged.userHandle }),
        },
      }
    },
  }
}
