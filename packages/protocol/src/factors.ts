import { z } from 'zod'
import { done, isoTime } from './primitives.ts'
import { createLineSchema } from './shared-schemas.ts'

/** Second factors that can complete a sign-in. */
export const factorMethods = ['passkey', 'totp', 'recovery-code'] as const
export type FactorMethod = (typeof factorMethods)[number]

/** A sign-in whose second factor is missing. Its session cookie gives no access yet. */
export const awaitedFactor = z.object({
  methods: z.array(z.enum(factorMethods)),
  expiresAt: isoTime,
})
export type AwaitedFactor = z.infer<typeof awaitedFactor>

export const recoveryCodeCount = 10

/**
 * A code of an authenticator app (six digits) or a recovery code. Spaces and dashes are ignored.
 */
export const factorCodeRequest = z.strictObject({ code: z.string().trim().min(1).max(40) })

export const passkeyName = createLineSchema(60)

export const passkey = z.object({
  id: z.string(),
  name: z.string(),
  /** True if the passkey is copied to other devices of its owner. */
  backedUp: z.boolean(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
})
export type Passkey = z.infer<typeof passkey>

/** GET /api/account/factors: the second factors of the account. */
export const accountFactors = z.object({
  totp: z.object({ addedAt: isoTime, lastUsedAt: isoTime.nullable() }).nullable(),
  passkeys: z.array(passkey),
  recoveryCodesLeft: z.number().int(),
  /** True if the account is an admin's and must have a second factor. */
  isRequired: z.boolean(),
  /** True if the first factor needs an enrolment code. An owner or an admin issues the code. */
  needsEnrolmentCode: z.boolean(),
  /**
   * Earliest time at which all second factors will be removed, if an admin has requested it. The
   * 24 hours begin when the mail server has accepted the warning.
   */
  resetDueAt: isoTime.nullable(),
})
export type AccountFactors = z.infer<typeof accountFactors>

/** A code that lets staff without a second factor enrol one. Shown once, to the issuer. */
export const enrolmentCode = z.object({ code: z.string(), expiresAt: isoTime })
export type EnrolmentCode = z.infer<typeof enrolmentCode>

/** `secret` is base32 for manual entry; `uri` is the content of the QR code (otpauth). */
export const totpEnrolment = z.object({ secret: z.string(), uri: z.string() })

/** `recoveryCodes` is set only if the added factor is the first one of the account. */
export const factorAdded = done.extend({ recoveryCodes: z.array(z.string()).nullable() })
