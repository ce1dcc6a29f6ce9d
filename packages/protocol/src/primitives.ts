import { z } from 'zod'

/**
 * An EVM address: 0x and 40 hex digits in any case. The server always sends checksummed addresses
 * (EIP-55).
 */
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'Expected an address: 0x and 40 hexadecimal digits')

/** A 32-byte hash or transaction hash as 0x and 64 hex digits. */
export const hash32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'Expected 0x and 64 hexadecimal digits')

/** A 65-byte secp256k1 signature, or a longer ERC-1271 one, as hex. */
export const signatureHex = z
  .string()
  .max(4096)
  .regex(/^0x([0-9a-fA-F]{2})+$/, 'Expected a signature: 0x and hexadecimal digits')

/**
 * A time in the format of Date.toISOString(): UTC with milliseconds. All times in the API have this
 * format.
 */
export const isoTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'Expected a UTC time with milliseconds')

/** An amount in base units (10^-18 ITO) as a decimal integer string; never a float. */
export const amountWei = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'Expected an integer in base units')

export const priorities = ['low', 'medium', 'high', 'critical'] as const
export const priority = z.enum(priorities)
export type Priority = z.infer<typeof priority>

export const planIds = ['6h', '24h', '3d'] as const
export const planId = z.enum(planIds)
export type PlanId = z.infer<typeof planId>

/**
 * True for text that can be stored and signed unchanged: well-formed Unicode (no lone surrogates)
 * without NUL.
 */
export function isPlainText(value: string): boolean {
  return !/\p{Surrogate}/u.test(value) && !value.includes('\0')
}

/**
 * True for text without control characters, line breaks of any kind and bidirectional overrides.
 */
export function isOneLine(value: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value)
}

/**
 * True if the text has a visible character: not only spaces, zero-width characters or blank
 * letters.
 */
export function isVisible(value: string): boolean {
  return /[^\p{C}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u.test(value)
}

/** The response of endpoints that return no data. */
export const done = z.object({ success: z.boolean(), message: z.string() })

/**
 * The code of a coupon. Codes ignore case, and have no spaces, so that they survive being copied
 * from a message.
 */
export const couponCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9-]{6,32}$/, 'Expected 6 to 32 letters, digits and hyphens')
