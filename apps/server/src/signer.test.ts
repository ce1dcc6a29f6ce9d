import { addressOfKey, hexToBytes, noteVerifierKey, recoverSigner, signDigest, verifyNote } from '@tocsin/proof'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSigner, createSigners } from './signer.ts'

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const
const createKey = (byte: number) => toHex(new Uint8Array(32).fill(byte))

test('createSigner: throws when the key is out of range', () => {
  for (const invalidKey of [createKey(0), createKey(0xff), '0x01'] as const)
    expect(() => createSigner(invalidKey)).toThrow()
})

test('createSigner: returns the same signature as signDigest of packages/proof', () => {
  fc.assert(
    fc.property(bytes32, bytes32, (digest, secret) => {
      // Every key below 2^255 is valid, except zero.
      const inRange = Uint8Array.from(secret, (byte, index) => (index === 0 ? byte & 0x7f : byte))
      inRange[31] = (inRange[31] ?? 0) | 1
      const signer = createSigner(toHex(inRange))
      const signature = signer.signDigest(digest)
      expect(signature).toBe(signDigest(digest, inRange))
      expect(recoverSigner(digest, signature)).toBe(signer.address)
    }),
    { numRuns: 200 },
  )
})

test('createSigner: returns the same signature as signDigest of packages/proof when the digest is a boundary value', () => {
  const signer = createSigner(createKey(0x51))
  for (const byte of [0x00, 0x01, 0xff]) {
    const digest = new Uint8Array(32).fill(byte)
    expect(signer.signDigest(digest)).toBe(signDigest(digest, hexToBytes(createKey(0x51))))
  }
})

test('createSigner: signs a checkpoint that verifies with its checkpoint key, and not with that of another signer', () => {
  const signer = createSigner(createKey(0x51))
  const checkpointNote = signer.signCheckpoint('example.com/log\n0\nAAAA\n', 'example.com/log')
  const verified = verifyNote(checkpointNote, [noteVerifierKey('example.com/log', signer.checkpointKey)])
  expect(verified.signers).toEqual(['example.com/log'])
  const other = noteVerifierKey('example.com/log', createSigner(createKey(0x52)).checkpointKey)
  expect(() => verifyNote(checkpointNote, [other])).toThrow()
})

test('createSigners: find() returns the signer of a key that was added later, and each key is held once', () => {
  const getAddress = (byte: number) => addressOfKey(hexToBytes(createKey(byte)))
  let laterKeys: `0x${string}`[] = []
  const signers = createSigners({ signerKey: createKey(0x51), signerKeyNext: createKey(0x52) }, () => laterKeys)
  expect(signers.held.map((signer) => signer.address)).toEqual([getAddress(0x51), getAddress(0x52)])
  expect(signers.find(getAddress(0x53))).toBeNull()
  laterKeys = [createKey(0x51), createKey(0x53)]
  expect(signers.find(getAddress(0x53))?.address).toBe(getAddress(0x53))
  expect(signers.find(getAddress(0x54))).toBeNull()
  expect(signers.held.map((signer) => signer.address)).toEqual([0x51, 0x52, 0x53].map(getAddress))
})

test('createSigner: a reused signer returns the same signed checkpoints as a new signer', () => {
  const reusedSigner = createSigner(createKey(1))
  const checkpoints = [
    ['1', 'a'],
    ['1', 'a'],
    ['2', 'a'],
    ['2', 'b'],
    ['1', 'a'],
  ] as const
  for (const [size, origin] of checkpoints) {
    const text = `${origin}\n${size}\nroot\n`
    expect(reusedSigner.signCheckpoint(text, origin)).toBe(createSigner(createKey(1)).signCheckpoint(text, origin))
  }
})
