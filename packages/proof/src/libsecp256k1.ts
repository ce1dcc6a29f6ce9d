// Not the library's entry point, which loads all of it and takes eight times as long.
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import type { RecoverKey } from './signature.ts'

/**
 * Compiles libsecp256k1 in WebAssembly, which recovers keys about 15 times as fast as the default
 * of recoverSigner. For programs that recover many keys.
 * @throws where WebAssembly is not available
 */
export async function loadRecoverKey(): Promise<RecoverKey> {
  const library = await instantiateSecp256k1()
  return (digest, compact, recoveryBit) => {
    const key = library.recoverPublicKeyUncompressed(compact, recoveryBit, digest)
    // The library returns a message instead of throwing.
    if (typeof key === 'string') throw new Error(key)
    return key
  }
}

/** @returns undefined where WebAssembly is not available: recoverSigner then uses JavaScript */
export async function findRecoverKey(): Promise<RecoverKey | undefined> {
  return loadRecoverKey().catch(() => undefined)
}
