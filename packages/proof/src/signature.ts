import { secp256k1 } from '@noble/curves/secp256k1'
import { type Address, bytesToHex, checksumAddress, type Hex, hexToBytes } from './hex.ts'
import { type Primitives, primitivesInJavaScript } from './primitives.ts'

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
 * Returns the address whose key made the signature, or null if the signature is not exactly of the
 * form that signDigest writes.
 * @param primitives faster implementations, for programs that check many entries
 */
export function recoverSigner(
  digest: Uint8Array,
  signature: string,
  { recoverKey, keccak256 }: Primitives = primitivesInJavaScript,
): Address | null {
  if (digest.length !== 32 || !/^0x[0-9a-f]{128}(1b|1c)$/.test(signature)) return null
  // Hex digits of equal length and case compare like numbers.
  if (signature.slice(66, 130) > halfOrder) return null
  try {
    const compact = hexToBytes(signature.slice(0, 130))
    return computeAddress(recoverKey(digest, compact, signature.endsWith('1b') ? 0 : 1), keccak256)
  } catch {
    // r or s is out of range, or no curve point has the x-coordinate r.
    return null
  }
}

/**
 * An address is the last 20 bytes of the hash of the key's coordinates, without the leading format
 * byte.
 */
function computeAddress(uncompressedKey: Uint8Array, keccak256 = primitivesInJavaScript.keccak256): Address {
  return checksumAddress(bytesToHex(keccak256(uncompressedKey.slice(1)).slice(12)))
}

/** Half of the order of the curve: the greatest s of a canonical signature (EIP-2). */
const halfOrder = (secp256k1.CURVE.n / 2n).toString(16)

/**
 * The address that signatures of this key recover to.
 * @throws Error on a key of another length than 32 bytes, or out of range
 */
export function addressOfKey(privateKey: Uint8Array): Address {
  return computeAddress(secp256k1.getPublicKey(privateKey, false))
}
