import { generateKeyPairSync, sign } from 'node:crypto'
import { DAY_MS } from '@tocsin/protocol/durations'

const [INTEGER, BIT_STRING, OBJECT_ID, UTF8, UTC_TIME, SEQUENCE, SET] = [0x02, 0x03, 0x06, 0x0c, 0x17, 0x30, 0x31]
/** Object identifiers: ecdsa-with-SHA256 (RFC 5758) and commonName (X.520). */
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('550403', 'hex')

/**
 * Creates a self-signed certificate (minimal RFC 5280, valid from yesterday to tomorrow) and its
 * key, as PEM.
 */
export function createSelfSignedCertificate(name: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = encodeDer(SEQUENCE, encodeDer(OBJECT_ID, ECDSA_WITH_SHA256))
  const subject = encodeDer(
    SEQUENCE,
    encodeDer(SET, encodeDer(SEQUENCE, encodeDer(OBJECT_ID, COMMON_NAME), encodeDer(UTF8, Buffer.from(name)))),
  )
  const tbsCertificate = encodeDer(
    SEQUENCE,
    encodeDer(INTEGER, Buffer.from([1])),
    algorithm,
    subject,
    encodeDer(SEQUENCE, encodeUtcTime(Date.now() - DAY_MS), encodeUtcTime(Date.now() + DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = encodeDer(BIT_STRING, Buffer.from([0]), sign('sha256', tbsCertificate, privateKey))
  const body = encodeDer(SEQUENCE, tbsCertificate, algorithm, signature).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function encodeDer(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

/** Encodes a time as an ASN.1 UTCTime: YYMMDDhhmmssZ. */
function encodeUtcTime(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/\D/g, '').slice(2, 14)
  return encodeDer(UTC_TIME, Buffer.from(`${digits}Z`))
}
