import type { PlanId } from '@tocsin/protocol'
import { closeCodes } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/app.ts'
import type { Actor } from '../../http/route.ts'

export interface Rights {
  /** Who the session cookie belongs to, as the database says now. */
  findActor(caller: Caller): Promise<Actor | null>
  /** The same for an open socket: the cookie that opened it may have changed since. */
  findActorOfSession(sessionId: string): Promise<Actor | null>
  findEntitlement(
    ctx: Context,
    accountId: string,
    now: Date,
  ): Promise<{ planId: PlanId; startsAt: Date; endsAt: Date } | null>
}

export type Authorization =
  | { allowed: true; planType: PlanId | null; expiresAt: Date | null; entitledUntilMs: number }
  | { allowed: false; message: string; closeCode: number }

/**
 * Whether this session may hear the stream for that wallet, read from the database at this moment. The wallet must be proved by this very
 * session, of admins too; a subscription is asked of everyone else.
 */
export async function authorize(
  ctx: Context,
  rights: Rights,
  sessionId: string,
  expected: { accountId: string; walletAddress: string },
): Promise<Authorization> {
  const actor = await rights.findActorOfSession(sessionId)
  if (!actor || actor.accountId !== expected.accountId) {
    return { allowed: false, message: 'The session has ended', closeCode: closeCodes.sessionEnded }
  }
  const wallet = expected.walletAddress.toLowerCase()
  if (!actor.provedWallets.some((proved) => proved.toLowerCase() === wallet)) {
    return {
      allowed: false,
      message: 'This session has not proved that wallet',
      closeCode: closeCodes.entitlementEnded,
    }
  }
  const entitlement = await rights.findEntitlement(ctx, actor.accountId, ctx.clock.now())
  if (!entitlement && !actor.isAdmin) {
    return { allowed: false, message: 'No active subscription', closeCode: closeCodes.entitlementEnded }
  }
  const expiresAt = entitlement?.endsAt ?? null
  return {
    allowed: true,
    planType: entitlement?.planId ?? null,
    expiresAt,
    entitledUntilMs: actor.isAdmin || !expiresAt ? Number.POSITIVE_INFINITY : expiresAt.getTime(),
  }
}
