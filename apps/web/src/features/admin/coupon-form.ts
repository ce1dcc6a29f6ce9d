import { couponCode, type PlanId, type RequestBody } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { ambiguousNumberMessage, isAmbiguousNumber } from './ambiguous-number.ts'
import { formatLocalTime, parseLocalTime } from './local-time.ts'

/** The input of the form for a new coupon, as typed. */
export interface CouponDraft {
  code: string
  kind: 'percent' | 'amount'
  /** A whole percentage, or an amount of ITO. */
  value: string
  planTypes: PlanId[]
  maxUses: string
  maxUsesPerAccount: string
  expiresAt: string
  note: string
}

export type CouponProblems = Partial<Record<keyof CouponDraft, string>>

export function createEmptyCoupon(nowMs: number): CouponDraft {
  return {
    code: '',
    kind: 'percent',
    value: '',
    planTypes: ['6h', '24h', '3d'],
    maxUses: '100',
    maxUsesPerAccount: '1',
    expiresAt: formatLocalTime(new Date(nowMs + 30 * DAY_MS)),
    note: '',
  }
}

/** Validates the form. Returns the request body, or an error message for each invalid field. */
export function parseCoupon(
  draft: CouponDraft,
  nowMs: number,
): { body: RequestBody<'createCoupon'> } | { problems: CouponProblems } {
  const problems: CouponProblems = {}
  const code = draft.code.trim() === '' ? undefined : couponCode.safeParse(draft.code).data
  if (draft.code.trim() !== '' && code === undefined) problems.code = '6 to 32 letters, digits and hyphens.'
  const percent = parseWholeNumber(draft.value, 100)
  const amountWei = parseItoAmount(draft.value)
  if (draft.kind === 'percent' && percent === null) problems.value = 'A whole number from 1 to 100.'
  if (draft.kind === 'amount' && amountWei === null) {
    problems.value = isAmbiguousNumber(draft.value) ? ambiguousNumberMessage : 'An amount of ITO above 0.'
  }
  if (draft.planTypes.length === 0) problems.planTypes = 'Choose at least one plan.'
  const maxUses = parseWholeNumber(draft.maxUses, 1_000_000)
  const maxUsesPerAccount = parseWholeNumber(draft.maxUsesPerAccount, 1_000_000)
  if (maxUses === null) problems.maxUses = 'A whole number from 1.'
  if (maxUsesPerAccount === null) problems.maxUsesPerAccount = 'A whole number from 1.'
  const expiresAt = parseLocalTime(draft.expiresAt)
  if (expiresAt === null || Date.parse(expiresAt) <= nowMs) problems.expiresAt = 'A time in the future.'
  const note = draft.note.trim()
  if (note === '') problems.note = 'Enter the purpose of the coupon.'
  if (Object.keys(problems).length > 0 || maxUses === null || maxUsesPerAccount === null || expiresAt === null) {
    return { problems }
  }
  return {
    body: {
      ...(code === undefined ? {} : { code }),
      ...(draft.kind === 'percent' ? { percent: percent ?? 0 } : { amountWei: amountWei ?? '0' }),
      ...{ planTypes: draft.planTypes, maxUses, maxUsesPerAccount, expiresAt, note },
    },
  }
}

function parseWholeNumber(text: string, max: number): number | null {
  if (!/^\d{1,7}$/.test(text.trim())) return null
  const number = Number(text)
  return number >= 1 && number <= max ? number : null
}

/**
 * Converts an amount of ITO to wei, or returns null if the text is no valid amount. Never uses a
 * floating-point number, so that the result is exact.
 */
function parseItoAmount(text: string): string | null {
  const match = /^(\d{1,9})(?:[.,](\d{1,18}))?$/.exec(text.trim())
  if (!match || isAmbiguousNumber(text)) return null
  const wei = BigInt(`${match[1]}${(match[2] ?? '').padEnd(18, '0')}`)
  return wei > 0n ? wei.toString() : null
}
