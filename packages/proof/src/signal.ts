import { sha256 } from '@noble/hashes/sha2'
import { utf8ToBytes } from '@noble/hashes/utils'
import { bytesToHex, type Hex } from './hex.ts'

/** SHA-256 (FIPS 180-4) of a feed's message, of its UTF-8 bytes exactly as they were sent: the `signalHash` of its alert. */
export function hashSignal(message: string): Hex {
  return bytesToHex(sha256(utf8ToBytes(message)))
}
