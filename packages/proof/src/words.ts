import { isHash } from './field-checks.ts'
import type { Address, Hex } from './hex.ts'

/** Formats hashes and addresses for messages. */

export function shortenHash(hash: Hex): string {
  return `${hash.slice(2, 6)}…${hash.slice(-4)}`
}

/** Shortens two different hashes so that the difference is visible. */
export function shortenHashes(a: Hex, b: Hex): [string, string] {
  if (shortenHash(a) !== shortenHash(b)) return [shortenHash(a), shortenHash(b)]
  const differsAt = [...a].findIndex((digit, index) => digit !== b[index])
  const formatMiddle = (hash: Hex) => `${hash.slice(2, 6)}…${hash.slice(differsAt, differsAt + 4)}…${hash.slice(-4)}`
  return [formatMiddle(a), formatMiddle(b)]
}

export function shortenAddress(address: Address): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** @throws Error with `name` if the value is not a hash */
export function readHash(value: unknown, name: string): Hex {
  if (!isHash(value)) throw new Error(`The ${name} is not 0x and 64 lower-case hex digits`)
  return value
}

/** Returns the message of an Error, or a fixed text for any other thrown value. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : 'The check could not be carried out'
}
