import { z } from 'zod'

/** Every expected "no" of the product, with its HTTP status. A refusal carries one of these codes and a sentence for a person. */
export const refusalStatus = {
  malformed: 400,
  invalid_credentials: 401,
  not_signed_in: 401,
  email_not_verified: 403,
  forbidden: 403,
  foreign_origin: 403,
  admin_required: 403,
  subscription_required: 403,
  wallet_not_proved: 403,
  not_found: 404,
  wallet_taken: 409,
  subscription_active: 409,
  payment_used: 409,
  payment_confirming: 409,
  challenge_invalid: 422,
  challenge_expired: 422,
  signature_invalid: 422,
  password_common: 422,
  token_invalid: 422,
  token_expired: 422,
  payment_unknown: 422,
  payment_reverted: 422,
  payment_wrong_token: 422,
  payment_wrong_recipient: 422,
  payment_wrong_sender: 422,
  payment_too_small: 422,
  payment_too_old: 422,
  no_active_subscription: 409,
  too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  fault: 500,
  unavailable: 503,
} as const

export type RefusalCode = keyof typeof refusalStatus

/** The body of every answer that is not 2xx. `issues` names the fields of malformed input. */
export const errorBody = z.object({
  success: z.literal(false),
  code: z.string(),
  message: z.string(),
  requestId: z.string(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  details: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
})
export type ErrorBody = z.infer<typeof errorBody>
