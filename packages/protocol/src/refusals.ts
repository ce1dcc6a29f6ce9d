import { z } from 'zod'

/**
 * All expected errors with their HTTP status. A refusal carries one of these codes and a message
 * for the user.
 */
export const refusalStatus = {
  malformed: 400,
  token_invalid: 400,
  token_expired: 400,
  invalid_credentials: 401,
  not_signed_in: 401,
  email_not_verified: 403,
  forbidden: 403,
  foreign_origin: 403,
  admin_required: 403,
  subscription_required: 403,
  wallet_not_proved: 403,
  reauthentication_required: 403,
  account_suspended: 403,
  password_too_short: 403,
  not_found: 404,
  wallet_taken: 409,
  identity_taken: 409,
  last_way_in: 409,
  last_admin: 409,
  subscription_active: 409,
  payment_used: 409,
  payment_confirming: 409,
  order_paid: 409,
  payment_under_way: 409,
  too_many_orders: 409,
  idempotency_mismatch: 422,
  idempotency_running: 409,
  challenge_invalid: 422,
  challenge_expired: 422,
  signature_invalid: 422,
  password_common: 422,
  payment_unknown: 422,
  payment_reverted: 422,
  payment_wrong_token: 422,
  payment_wrong_recipient: 422,
  payment_wrong_sender: 422,
  payment_too_small: 422,
  payment_too_old: 422,
  no_active_subscription: 409,
  own_account: 409,
  already_resolved: 409,
  chain_unchanged: 409,
  chain_unsupported: 422,
  chain_not_in_demo: 422,
  endpoint_refused: 422,
  alert_retracted: 409,
  not_public_yet: 403,
  sharing_off: 403,
  too_many_shares: 409,
  too_many_destinations: 409,
  destination_not_on: 409,
  too_many_tests: 429,
  log_stopped: 503,
  clock_wrong: 503,
  too_large: 400,
  unsupported_media_type: 415,
  too_many_requests: 429,
  fault: 500,
  unavailable: 503,
} as const

export type RefusalCode = keyof typeof refusalStatus

/** The body of every error response. `issues` lists the invalid fields of malformed input. */
export const errorBody = z.object({
  success: z.literal(false),
  code: z.string(),
  message: z.string(),
  requestId: z.string(),
  /** For emailed links: true if the link expired, so that requesting a new one helps. */
  expired: z.boolean().optional(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  details: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
})
export type ErrorBody = z.infer<typeof errorBody>
