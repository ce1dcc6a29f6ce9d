import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { consumeAttempt, emptyWindow, type LimitRule, refundAttempt } from './credential-limit.ts'
import { lockLimit, updateLimit } from './store.ts'

/** Something that is counted, with what it is measured by. */
export interface Limit {
  subject: string
  rule: LimitRule
  /** Not counted at the first try of the limit that is named first. */
  isForRepeats?: boolean
}

/**
 * Counts one try of each, before anything is evaluated, so that tries sent all at once count too. Limits are always named in the same order, the
 * account's first: two callers never wait for each other.
 * @returns how many tries of the first there were in its window, with this one: of any number at once each is told another number
 * @param explain the sentence for a person, given the time to wait
 * @throws Refusal saying how long to wait; then nothing is counted
 */
export async function consumeAttempts(
  ctx: Context,
  limits: readonly Limit[],
  explain: (waitMs: number) => string = tooManyAttempts,
): Promise<number> {
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const counts: number[] = []
    for (const { subject, rule, isForRepeats } of limits) {
      if (isForRepeats && counts[0] === 1) continue
      const taken = consumeAttempt(await lockLimit(tx, subject, emptyWindow(now, rule)), rule, now)
      if (!taken.allowed) throw tooMany(taken.waitMs, explain(taken.waitMs))
      await updateLimit(tx, subject, taken.next)
      counts.push(taken.next.tries)
    }
    return counts[0] ?? 0
  })
}

/** What succeeded was no guess: it is given back. */
export async function refundAttempts(ctx: Context, limits: readonly Limit[]): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    for (const { subject, rule } of limits) {
      await updateLimit(tx, subject, refundAttempt(await lockLimit(tx, subject, emptyWindow(now, rule))))
    }
  })
}

const tooManyAttempts = () => 'Too many attempts. Wait a little and try again.'

function tooMany(waitMs: number, message: string): Refusal {
  return new Refusal('too_many_requests', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
}
