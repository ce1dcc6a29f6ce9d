import { bytesToHex } from '../../src/hex.ts'
import { primitivesInJavaScript } from '../../src/primitives.ts'

/**
 * Vitest setup file: each worker caches the key that it has recovered from a signature. Tests check
 * the same entries with different faults thousands of times, and recovering a key takes most of
 * that time.
 */
const { recoverKey } = primitivesInJavaScript

/** Maximum number of recovered keys that a worker stores. */
const MAX_RECOVERED_KEYS = 10_000

// Vitest runs this file before each test file. An earlier run in this worker may already have
// replaced the function.
if (recoverKey.name !== 'recoverOnce') {
  const recoveredKeys = new Map<string, Uint8Array>()
  primitivesInJavaScript.recoverKey = function recoverOnce(digest, compact, recoveryBit) {
    const signature = `${bytesToHex(digest)} ${bytesToHex(compact)} ${recoveryBit}`
    const key = recoveredKeys.get(signature) ?? recoverKey(digest, compact, recoveryBit)
    if (recoveredKeys.size >= MAX_RECOVERED_KEYS) recoveredKeys.clear()
    recoveredKeys.set(signature, key)
    return key.slice()
  }
}
