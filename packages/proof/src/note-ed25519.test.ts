import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519'
import { sha256, sha512 } from '@noble/hashes/sha2'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { expect, it } from 'vitest'
import { encodeBase64 } from './base64.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import { noteVerifierKey, signNote, verifyNote } from './note.ts'

/**
 * Tests which Ed25519 signatures are valid in a note, for the cases in which implementations of
 * Ed25519 differ (docs/log-format.md, chapter 7).
 */

const name = 'log.example'
const text = `${name}\n1\nAAAA\n`
const message = utf8ToBytes(text)
const order = ed25519.CURVE.n
const { BASE, ZERO } = ed25519.ExtendedPoint
const secret = 0x1234_5678_9abcn
const nonce = 0xfedc_ba98n
const publicKey = BASE.multiply(secret).toRawBytes()
const smallOrderPoints = ED25519_TORSION_SUBGROUP.map((hex) => ed25519.ExtendedPoint.fromHex(hex))
const torsion = smallOrderPoints.find((point) => !point.multiplyUnsafe(4n).equals(ZERO)) ?? ZERO

function encodeLittleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn))
}

function computeChallenge(commitment: Uint8Array, key: Uint8Array): bigint {
  const hash = sha512(concatBytes(commitment, key, message))
  return hash.reduceRight((sum, byte) => (sum << 8n) + BigInt(byte), 0n) % order
}

function isAccepted(key: Uint8Array, signature: Uint8Array): boolean {
  const hash = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(1), key)).slice(0, 4)
  const note = `${text}\n— ${name} ${encodeBase64(concatBytes(hash, signature))}\n`
  try {
    verifyNote(note, [noteVerifierKey(name, bytesToHex(key))])
    return true
  } catch {
    return false
  }
}

/**
 * Creates a signature. `moved` is a point of small order that shifts the commitment; `more` is a
 * multiple of the group order that is added to the scalar.
 */
function signWithOffsets({ moved = ZERO, more = 0n } = {}): Uint8Array {
  const commitment = BASE.multiply(nonce).add(moved).toRawBytes()
  const number = ((nonce + computeChallenge(commitment, publicKey) * secret) % order) + more
  return concatBytes(commitment, encodeLittleEndian(number))
}

it('verifyNote: accepts a plain signature', () => {
  expect(isAccepted(publicKey, signWithOffsets())).toBe(true)
})

it('verifyNote: accepts a commitment with a small-order component (cofactored equation)', () => {
  expect(torsion.equals(ZERO)).toBe(false)
  expect(isAccepted(publicKey, signWithOffsets({ moved: torsion }))).toBe(true)
})

it('verifyNote: rejects a scalar that is not below the group order', () => {
  expect(isAccepted(publicKey, signWithOffsets({ more: order }))).toBe(false)
})

it('verifyNote: rejects every public key of small order', () => {
  for (const point of smallOrderPoints) {
    const key = point.toRawBytes()
    expect(isAccepted(key, concatBytes(ZERO.toRawBytes(), new Uint8Array(32))), bytesToHex(key)).toBe(false)
  }
})

it('verifyNote: rejects a non-canonical encoding of a commitment', () => {
  // y = p + 1, a non-reduced encoding of the identity (y = 1).
  const identity = hexToBytes(`0xee${'ff'.repeat(30)}7f`)
  const number = (computeChallenge(identity, publicKey) * secret) % order
  expect(isAccepted(publicKey, concatBytes(identity, encodeLittleEndian(number)))).toBe(false)
  const canonical = ZERO.toRawBytes()
  const otherScalar = (computeChallenge(canonical, publicKey) * secret) % order
  expect(isAccepted(publicKey, concatBytes(canonical, encodeLittleEndian(otherScalar)))).toBe(true)
})

it('verifyNote: rejects every control character in text and name', () => {
  const seed = new Uint8Array(32).fill(1)
  for (let code = 0; code < 0xa0; code++) {
    const letter = String.fromCharCode(code)
    if (!/\p{Cc}/u.test(letter) || letter === '\n') continue
    expect(() => signNote(`a${letter}b\n`, { name, seed }), code.toString(16)).toThrow('control characters')
    expect(() => signNote('a\n', { name: `a${letter}b`, seed }), code.toString(16)).toThrow('name')
    const note = signNote('a-b\n', { name, seed }).replace('a-b', `a${letter}b`)
    expect(() => verifyNote(note, [])).toThrow('control characters')
  }
})
