import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'

/**
 * The functions that take most of the time of a check. Programs that check many entries pass faster
 * implementations.
 */
export interface Primitives {
  /**
   * Recovers the uncompressed public key (65 bytes) that made a signature with s in the lower half
   * of the order. Throws if no key can have made it.
   */
  recoverKey(digest: Uint8Array, compactSignature: Uint8Array, recoveryBit: 0 | 1): Uint8Array
  keccak256(bytes: Uint8Array): Uint8Array
}

export const primitivesInJavaScript: Primitives = {
  recoverKey: (digest, compactSignature, recoveryBit) =>
    secp256k1.Signature.fromCompact(compactSignature)
      .addRecoveryBit(recoveryBit)
      .recoverPublicKey(digest)
      .toRawBytes(false),
  keccak256: keccak_256,
}
