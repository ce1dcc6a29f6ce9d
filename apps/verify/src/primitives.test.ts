import { randomBytes } from 'node:crypto'
import { recoverSigner, signDigest } from '@tocsin/proof'
import { loadPrimitives } from '@tocsin/proof/primitives'
import { expect, test } from 'vitest'
import { findFastPrimitives, findNativeRecovery } from './primitives.ts'

const key = new Uint8Array(32).fill(7)
const nativeRecovery = findNativeRecovery()

test('findFastPrimitives: uses the native library when it has a build for this machine', async () => {
  const primitives = await findFastPrimitives()
  expect(primitives?.recoverKey.toString()).toBe((nativeRecovery ?? (await loadPrimitives()).recoverKey).toString())
})

test.skipIf(!nativeRecovery)('native recovery: equals WebAssembly for signatures and random bytes', async () => {
  const wasmPrimitives = await loadPrimitives()
  const fastPrimitives = await findFastPrimitives()
  const digests = [0, 1, 255].map((byte) => new Uint8Array(32).fill(byte))
  for (const digest of [...digests, ...Array.from({ length: 50 }, () => new Uint8Array(randomBytes(32)))]) {
    const random = randomBytes(64)
    random[32] = (random[32] ?? 0) & 0x3f
    const alteredSignature = `0x${random.toString('hex')}1c`
    const outOfRangeSignature = `0x${'ff'.repeat(32)}${'01'.repeat(32)}1b`
    const zeros = `0x${'00'.repeat(64)}1b`
    for (const signature of [signDigest(digest, key), alteredSignature, outOfRangeSignature, zeros]) {
      expect(recoverSigner(digest, signature, fastPrimitives)).toBe(recoverSigner(digest, signature, wasmPrimitives))
    }
  }
})
