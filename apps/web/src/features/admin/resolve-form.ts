import {
  type AdminUser,
  orderResolutions,
  planIds,
  type RequestBody,
  resolutions,
  type UnmatchedPayment,
} from '@tocsin/protocol'
import { z } from 'zod'
import { getDisplayName } from './user-texts.ts'

export const reasonField = z
  .string()
  .trim()
  .min(1, 'Enter a reason. It is kept in the audit log.')
  .max(500, 'At most 500 characters')

/**
 * Schema of a choice between actions. The draft can be empty, but an empty choice is invalid, so
 * that a hasty click does not record a wrong action.
 */
function createChoiceSchema<Action extends string>(actions: readonly Action[]) {
  return z.enum(['', ...actions]).transform((chosen, { addIssue }) => {
    const action = actions.find((one) => one === chosen)
    if (action) return action
    addIssue({ code: 'custom', message: 'Choose an action' })
    return z.NEVER
  })
}

export const resolveOrderForm = z.object({ action: createChoiceSchema(orderResolutions), reason: reasonField })

export const resolveForm = z
  .object({
    action: createChoiceSchema(resolutions),
    /** The account that receives the plan. */
    account: z.object({ id: z.string(), words: z.string() }).nullable(),
    planId: z.enum(planIds),
    reason: reasonField,
  })
  .refine(({ action, account }) => action !== 'credit' || account !== null, {
    path: ['account'],
    message: 'Choose the account that receives the plan',
  })

export type ResolveDraft = z.input<typeof resolveForm>
export type ResolveForm = z.output<typeof resolveForm>
export type ChosenAccount = NonNullable<ResolveForm['account']>

export function createResolutionDraft(
  { owner, suggestedPlan }: UnmatchedPayment,
  start: 'credit' | undefined,
): ResolveDraft {
  const isReady = owner !== null && suggestedPlan !== null
  return {
    action: start ?? (isReady ? 'credit' : ''),
    account: owner && { id: owner.id, words: getDisplayName(owner) },
    planId: suggestedPlan ?? '6h',
    reason: '',
  }
}

export function createResolveRequest({
  action,
  account,
  planId,
  reason,
}: ResolveForm): RequestBody<'resolveUnmatchedPayment'> {
  return action === 'credit' && account ? { action, accountId: account.id, planId, reason } : { action, reason }
}

export function createChosenAccount(user: AdminUser, words: string): ChosenAccount {
  return { id: user.id, words }
}
