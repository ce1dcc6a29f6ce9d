import { type AdminUser, planIds, type RequestBody, resolutions, type UnmatchedPayment } from '@tocsin/protocol'
import { z } from 'zod'
import { adminPaymentsTexts } from '../../texts/admin-payments.tsx'

const texts = adminPaymentsTexts.resolveForm

export const reasonField = z.string().trim().min(1, texts.sayWhyTheReason).max(500, texts.atMost500Characters)

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
    message: texts.chooseTheAccountThatGets,
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
    account: owner && { id: owner.id, words: owner.name || owner.email || texts.unknownUser },
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
