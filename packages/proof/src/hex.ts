import { keccak_256 } from '@noble/hashes/sha3'
import { hexToBytes as fromHex, bytesToHex as toHex, utf8ToBytes } from '@noble/hashes/utils'
import { memoize } from './memoize.ts'

/** Bytes as 0x and an even number of hex digits. This package writes lower case. */
export type Hex = `0x${string}`

/** A 20-byte EVM address with EIP-55 checksum. */
export type Address = Hex

/** Returns lower-case hex with 0x. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${toHex(bytes)}`
}

/**
 * Accepts both cases.
 * @throws Error without 0x, on an odd number of digits and on invalid digits
 */
export function hexToBytes(hex: string): Uint8Array {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(hex)) throw new Error('Expected 0x and pairs of hexadecimal digits')
  return fromHex(hex.slice(2))
}

/**
 * Returns the address with its EIP-55 checksum. Accepts all lower case, all upper case, or a
 * correct checksum.
 * @throws Error on anything else, because a wrong checksum indicates a typing error
 */
export function checksumAddress(address: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Error('Expected an address: 0x and 40 hexadecimal digits')
  const digits = address.slice(2)
  const checksummed = checksumDigits(digits.toLowerCase())
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (!isOneCase && digits !== checksummed) throw new Error('The address has a wrong checksum (EIP-55)')
  return `0x${checksummed}`
}

/** Memoized, because a log has few signers and every entry names one. */
const checksumDigits = memoize(64, (lowerCase) => {
  const hash = toHex(keccak_256(utf8ToBytes(lowerCase)))
  let checksummed = ''
  for (let i = 0; i < lowerCase.length; i++) {
    const isUpperCase = hash.charAt(i) >= '8'
    checksummed += isUpperCase ? lowerCase.charAt(i).toUpperCase() : lowerCase.charAt(i)
  }
  return checksummed
})

/** True if both have the same length and content. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
