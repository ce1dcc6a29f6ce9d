// Not the library's entry point, which loads all of it and takes eight times as long.
import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js'
import type { RecoverKey } from './signature.ts'

/**
 * libsecp256k1 in WebAssembly, for programs that recover many keys. Importing this module compiles
 * it, and fails where WebAssembly is not available.
 */
const library = await instantiateSecp256k1()

/** Recovers keys about 15 times as fast as the default of recoverSigner. */
export const recoverKey: RecoverKey = (digest, compact, recoveryBit) => {
  const key = library.recoverPublicKeyUncompressed(compact, recoveryBit, digest)
  // The library returns a message instead of throwing.
  if (typeof key === 'string') throw new Error(key)
  return key
}
