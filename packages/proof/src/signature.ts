import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import { type Address, bytesToHex, checksumAddress, type Hex } from './hex.ts'

/**
 * secp256k1 signature of a 32-byte digest as r || s || v: 65 bytes in lower-case hex, s in the
 * lower half of the order (EIP-2), v 27 or 28. The nonce is deterministic (RFC 6979): one digest
 * has one signature.
 * @throws Error on a digest or key of another length than 32 bytes, or a key out of range
 */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): Hex {
  if (digest.length !== 32) throw new Error('The digest is not 32 bytes long')
  const signature = secp256k1.sign(digest, privateKey, { lowS: true })
  return `0x${signature.toCompactHex()}${signature.recovery === 0 ? '1b' : '1c'}`
}

/**
 * Recovers the uncompressed public key (65 bytes) that made a signature with s in the lower half of
 * the order. Throws if no key can have made it.
 */
export type RecoverKey = (digest: Uint8Array, compact: Uint8Array, recoveryBit: 0 | 1) => Uint8Array

const recoverKeyInJavaScript: RecoverKey = (digest, compact, recoveryBit) =>
  secp256k1.Signature.fromCompact(compact).addRecoveryBit(recoveryBit).recoverPublicKey(digest).toRawBytes(false)

/**
 * Returns the address whose key made the signature, or null if it is not exactly of the form that
 * signDigest writes.
 * @param recoverKey a faster implementation of the curve arithmetic, for servers that check every
 * entry they append
 */
export function recoverSigner(
  digest: Uint8Array,
  signature: string,
  recoverKey: RecoverKey = recoverKeyInJavaScript,
): Address | null {
  if (digest.length !== 32 || !/^0x[0-9a-f]{128}(1b|1c)$/.test(signature)) return null
  try {
    const parsed = secp256k1.Signature.fromCompact(signature.slice(2, 130))
    if (parsed.hasHighS()) return null
    return addressOf(recoverKey(digest, parsed.toCompactRawBytes(), signature.endsWith('1b') ? 0 : 1))
  } catch {
    // r or s out of range, or no curve point at r.
    return null
  }
}

/**
 * An address is the last 20 bytes of the hash of the key's coordinates, without the leading format
 * byte.
 */
function addressOf(uncompressedKey: Uint8Array): Address {
  return checksumAddress(bytesToHex(keccak_256(uncompressedKey.slice(1)).slice(12)))
}

/**
 * The address that signatures of this key recover to.
 * @throws Error on a key of another length than 32 bytes, or out of range
 */
export function addressOfKey(privateKey: Uint8Array): Address {
  return addressOf(secp256k1.getPublicKey(privateKey, false))
}
