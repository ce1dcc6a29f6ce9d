import { z } from 'zod'
import { planIds, priorities } from './names.ts'

/**
 * An EVM address: 0x and 40 hex digits in any case. The server always sends checksummed addresses
 * (EIP-55).
 */
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'Expected an address: 0x and 40 hexadecimal digits')

/** The highest chain id that can be stored with a payment. */
export const maxChainId = 2 ** 31 - 1

/** A 32-byte hash or transaction hash as 0x and 64 hex digits. */
export const hash32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'Expected 0x and 64 hexadecimal digits')

/**
 * A time in the format of Date.toISOString(): UTC with milliseconds. All times in the API have this
 * format.
 */
export const isoTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'Expected a UTC time with milliseconds')

const FIRST_STORABLE_MS = Date.parse('0001-01-01')
/** False for times that do not exist, and for the year 0, because PostgreSQL rejects it. */
const isStorable = (time: string): boolean => Date.parse(time) >= FIRST_STORABLE_MS

/** A time in a request or in a message of the feed. The format alone would allow a 13th month. */
export const realTime = isoTime.refine(isStorable, 'Not a time')

/** A UTC day in a request or in a message of the feed: YYYY-MM-DD. */
export const utcDay = z.iso.date().refine(isStorable, 'Not a day')

/** An amount in base units (10^-18 ITO) as a decimal integer string; never a float. */
export const amountWei = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'Expected an integer in base units')

export const priority = z.enum(priorities)
export const planId = z.enum(planIds)

/** The response of endpoints that return no data. */
export const done = z.object({ success: z.boolean(), message: z.string() })

/**
 * The code of a coupon. Case and surrounding spaces are ignored, so that a code copied from a
 * message is accepted.
 */
export const couponCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9-]{6,32}$/, 'Expected 6 to 32 letters, digits and hyphens')
