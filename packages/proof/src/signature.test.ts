import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import fc from 'fast-check'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from './hex.ts'
import type { Primitives } from './primitives.ts'
import { addressOfKey, recoverSigner, signDigest } from './signature.ts'
import { loadPrimitives } from './webassembly.ts'

const key = new Uint8Array(32).fill(7)
const digest = keccak_256(Uint8Array.of(1, 2, 3))
const signature = signDigest(digest, key)
const address = privateKeyToAccount(bytesToHex(key)).address

function toHighS(compact: string): string {
  const { r, s, recovery } = secp256k1.Signature.fromCompact(compact.slice(2, 130)).addRecoveryBit(
    compact.endsWith('1b') ? 0 : 1,
  )
  const formatWord = (value: bigint) => value.toString(16).padStart(64, '0')
  return `0x${formatWord(r)}${formatWord(secp256k1.CURVE.n - s)}${recovery === 0 ? '1c' : '1b'}`
}

describe('recoverSigner', () => {
  it.each([
    ['an empty text', ''],
    ['a short signature', signature.slice(0, -2)],
    ['a long signature', `${signature}00`],
    ['upper case', `0x${signature.slice(2).toUpperCase()}`],
    ['v of 0', `${signature.slice(0, -2)}00`],
    ['v of 29', `${signature.slice(0, -2)}1d`],
    ['zeros', `0x${'00'.repeat(64)}1b`],
    ['r out of range', `0x${'ff'.repeat(32)}${signature.slice(66)}`],
    ['s in the upper half', toHighS(signature)],
  ])('rejects %s', (_, malformed) => {
    expect(recoverSigner(digest, malformed)).toBeNull()
  })

  it('rejects a digest that is not 32 bytes long', () => {
    expect(recoverSigner(digest.slice(1), signature)).toBeNull()
    expect(() => signDigest(digest.slice(1), key)).toThrow('32 bytes')
  })

  it('recovers another address for another digest', () => {
    expect(recoverSigner(keccak_256(digest), signature)).not.toBe(address)
  })

  it('recovers the signer', () => {
    expect(recoverSigner(digest, signature)).toBe(address)
    expect(addressOfKey(key)).toBe(address)
  })
})

describe('recoverSigner in WebAssembly', () => {
  let wasmPrimitives: Primitives
  beforeAll(async () => {
    wasmPrimitives = await loadPrimitives()
  })

  const word = fc.uint8Array({ minLength: 32, maxLength: 32 })

  it('returns the same address as in JavaScript for signatures and for random bytes', () => {
    fc.assert(
      fc.property(word, word, word, fc.boolean(), (hash, r, s, isOdd) => {
        s[0] = (s[0] ?? 0) & 0x3f
        const random = `${bytesToHex(r)}${bytesToHex(s).slice(2)}${isOdd ? '1c' : '1b'}`
        for (const newSignature of [signDigest(hash, key), random]) {
          expect(recoverSigner(hash, newSignature, wasmPrimitives)).toBe(recoverSigner(hash, newSignature))
        }
      }),
      { numRuns: 100 },
    )
  })

  it.each([0, 1, 255])('returns the same address as in JavaScript for a digest whose bytes are all %i', (byte) => {
    const hash = new Uint8Array(32).fill(byte)
    const newSignature = signDigest(hash, key)
    expect(recoverSigner(hash, newSignature, wasmPrimitives)).toBe(address)
  })
})

describe('signDigest', () => {
  it('matches viem for both values of v', async () => {
    const seenSignatures = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const hash = keccak_256(Uint8Array.of(i))
      const newSignature = signDigest(hash, key)
      expect(newSignature).toBe(await sign({ hash: bytesToHex(hash), privateKey: bytesToHex(key), to: 'hex' }))
      expect(recoverSigner(hash, newSignature)).toBe(address)
      seenSignatures.add(newSignature.slice(-2))
    }
    expect(seenSignatures).toEqual(new Set(['1b', '1c']))
  })
})
