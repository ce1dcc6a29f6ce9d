import { addressOfKey, type Hex, hexToBytes, signDigest } from '@tocsin/proof'
import type { Signer } from './context.ts'

/** The key that states alerts, kept inside this closure. */
export function createSigner(privateKey: Hex): Signer {
  const key = hexToBytes(privateKey)
  return { address: addressOfKey(key), signDigest: (digest) => signDigest(digest, key) }
}
