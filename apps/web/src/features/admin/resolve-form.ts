import { type AdminUser, planIds, type RequestBody, resolutions, type UnmatchedPayment } from '@tocsin/protocol'
import { z } from 'zod'

export const reasonField = z
  .string()
  .trim()
  .min(1, 'Say why: the reason is kept in the audit trail')
  .max(500, 'At most 500 characters')

export const resolveForm = z
  .object({
    action: z.enum(resolutions),
    /** Who gets the plan. */
    account: z.object({ id: z.string(), words: z.string() }).nullable(),
    planId: z.enum(planIds),
    reason: reasonField,
  })
  .refine(({ action, account }) => action !== 'credit' || account !== null, {
    path: ['account'],
    message: 'Choose the account that gets the plan',
  })

export type ResolveForm = z.infer<typeof resolveForm>
export type ChosenAccount = NonNullable<ResolveForm['account']>

export function draftOfResolution(
  { owner, suggestedPlan }: UnmatchedPayment,
  start: 'credit' | undefined,
): ResolveForm {
  const isReady = owner !== null && suggestedPlan !== null
  return {
    action: start ?? (isReady ? 'credit' : 'refund_noted'),
    account: owner && { id: owner.id, words: owner.name || owner.email || 'Unknown User' },
    planId: suggestedPlan ?? '6h',
    reason: '',
  }
}

export function resolveRequestOf({
  action,
  account,
  planId,
  reason,
}: ResolveForm): RequestBody<'resolveUnmatchedPayment'> {
  return action === 'credit' && account ? { action, accountId: account.id, planId, reason } : { action, reason }
}

export function accountOf(user: AdminUser, words: string): ChosenAccount {
  return { id: user.id, words }
}
