import { isWellFormed } from './canonical-json.ts'
import { checksumAddress, type Hex } from './hex.ts'

/** Checks that a value has the canonical form of its field. */

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** An integer from 0 to 2^53 - 1. Minus zero is rejected, because it is serialised as 0. */
export function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && isWellFormed(value)
}

/** UTC with milliseconds in the format of Date.toISOString(), from 1970 to 9999. */
export function isTime(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false
  const time = Date.parse(value)
  return time >= 0 && new Date(time).toISOString() === value
}

/** 32 bytes in lower-case hex. */
export function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
}

export function isChecksummed(value: unknown): value is Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return false
  return checksumAddress(value.toLowerCase()) === value
}

/** 16 bytes in lower-case hex. */
export function isSalt(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{32}$/.test(value)
}

export function isChainId(value: unknown): value is number {
  return isIndex(value) && value > 0
}
