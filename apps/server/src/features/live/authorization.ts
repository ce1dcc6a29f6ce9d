import type { PlanId } from '@tocsin/protocol'
import { closeCodes } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { decideDelivery } from '../../delivery.ts'
import type { Caller } from '../../http/app.ts'
import type { Actor } from '../../http/route.ts'

/** What a program is to sign, but for its own address. */
export interface Challenge {
  domain: string
  uri: string
  chainId: number
  statement: string
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

export interface Answer {
  walletAddress: string
  message: string
  signature: string
}

/** What the contract of a wallet has accepted, and is asked again. */
export interface Evidence {
  chainId: number
  address: `0x${string}`
  message: string
  signature: string
}

export interface Rights {
  /** Who the session cookie belongs to, as the database says now. */
  findActor(caller: Caller): Promise<Actor | null>
  /** The same for an open socket: the cookie that opened it may have changed since. */
  findActorOfSession(sessionId: string): Promise<Actor | null>
  createChallenge(ctx: Context): Promise<Challenge>
  /** The wallet that has signed it, checksummed; with `evidence` where its contract says so. Throws Refusal. */
  verifyAnswer(
    ctx: Context,
    challenge: Challenge,
    answer: Answer,
  ): Promise<{ walletAddress: string; evidence: Evidence | null }>
  isStillAccepted(ctx: Context, evidence: Evidence): Promise<boolean>
  /**
   * The account that the wallet opens now; null without one, and for a suspended account.
   * @param chainId of the contract that speaks for the wallet, null for its own key
   */
  findAccountOfWallet(walletAddress: string, chainId: number | null): Promise<string | null>
  findEntitlement(
    ctx: Context,
    accountId: string,
    now: Date,
  ): Promise<{ planId: PlanId; startsAt: Date; endsAt: Date } | null>
  /** The periods in which the account could read, in order; one that was taken away is none. */
  listPastPeriods(ctx: Context, accountId: string, now: Date): Promise<PastPeriod[]>
}

export interface PastPeriod {
  planId: PlanId
  startsAt: Date
  endsAt: Date
}

export type Authorization =
  | { allowed: true; planType: PlanId | null; expiresAt: Date | null; entitledUntilMs: number }
  | { allowed: false; reason: 'session' | 'wallet' | 'subscription'; message: string; closeCode: number }

/** Who asks: by a session that has proved the wallet, or by the wallet alone. */
interface Asking {
  sessionId: string | null
  accountId: string
  walletAddress: string
  /** Of the contract that has accepted a program's signature, null for a key's. */
  chainId: number | null
}

/** Whether this socket may hear the stream for that wallet, read from the database at this moment. */
export async function authorize(ctx: Context, rights: Rights, asking: Asking): Promise<Authorization> {
  const { sessionId } = asking
  const holder =
    sessionId === null ? await findHolder(rights, asking) : await findSessionHolder(rights, asking, sessionId)
  if ('allowed' in holder) return holder
  const entitlement = await rights.findEntitlement(ctx, asking.accountId, ctx.clock.now())
  const { inApp, untilMs } = decideDelivery({ isAdmin: holder.isAdmin, entitlement })
  if (!inApp) {
    const closeCode = closeCodes.entitlementEnded
    return { allowed: false, reason: 'subscription', message: 'No active subscription', closeCode }
  }
  return {
    allowed: true,
    planType: entitlement?.planId ?? null,
    expiresAt: entitlement?.endsAt ?? null,
    entitledUntilMs: untilMs,
  }
}

type Holder = { isAdmin: boolean } | Extract<Authorization, { allowed: false }>

/** The wallet must be proved by this very session, of admins too. */
async function findSessionHolder(rights: Rights, asking: Asking, sessionId: string): Promise<Holder> {
  const actor = await rights.findActorOfSession(sessionId)
  if (!actor || actor.accountId !== asking.accountId) {
    return { allowed: false, reason: 'session', message: 'The session has ended', closeCode: closeCodes.sessionEnded }
  }
  const wallet = asking.walletAddress.toLowerCase()
  if (actor.provedWallets.some((proved) => proved.toLowerCase() === wallet)) return { isAdmin: actor.isAdmin }
  return {
    allowed: false,
    reason: 'wallet',
    message: 'This session has not proved that wallet',
    closeCode: closeCodes.entitlementEnded,
  }
}

/** A subscription is asked of a program, whoever's it is: an admin's rights end with a session, and here is none. */
async function findHolder(rights: Rights, { accountId, walletAddress, chainId }: Asking): Promise<Holder> {
  if ((await rights.findAccountOfWallet(walletAddress, chainId)) === accountId) return { isAdmin: false }
  return {
    allowed: false,
    reason: 'wallet',
    message: 'The wallet speaks for this account no longer',
    closeCode: closeCodes.sessionEnded,
  }
}
