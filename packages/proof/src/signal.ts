import { sha256 } from '@noble/hashes/sha2'
import { utf8ToBytes } from '@noble/hashes/utils'
import { bytesToHex, type Hex } from './hex.ts'

/** SHA-256 (FIPS 180-4) of the UTF-8 bytes of a feed message: the `signalHash` of its alert. */
export function hashSignal(message: string): Hex {
  return bytesToHex(sha256(utf8ToBytes(message)))
}
