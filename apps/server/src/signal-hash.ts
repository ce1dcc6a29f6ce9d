import { createHash } from 'node:crypto'
import type { Hex } from '@tocsin/proof'

/** SHA-256 of a feed's message, as its alert names it. */
export function hashSignal(message: string): Hex {
  return `0x${createHash('sha256').update(message).digest('hex')}`
}
