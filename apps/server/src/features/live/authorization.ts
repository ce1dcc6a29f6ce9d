import type { PlanId } from '@tocsin/protocol'
import { closeCodes } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import { decideDeliveryRights } from '../../delivery-rights.ts'
import type { AuthenticatedApiKey } from '../../http/api-key-authenticator.ts'
import type { Caller } from '../../http/app.ts'
import type { Actor } from '../../http/route.ts'
import type { Entitlement } from '../subscriptions/subscription.ts'
import type { ContractEvidence, StreamChallenge, StreamChallengeResponse } from '../wallets/stream-challenge.ts'

/** Functions that read rights. They are parameters so that tests can replace them. */
export interface RightsReader {
  /** Returns the owner of the session cookie, as currently stored. */
  findActor(caller: Caller): Promise<Actor | null>
  /** Returns the owner of an open socket. The session's cookie may have been replaced since. */
  findActorOfSession(sessionId: string): Promise<Actor | null>
  createChallenge(ctx: Context): Promise<StreamChallenge>
  /**
   * Returns the wallet that signed the challenge, checksummed, with `evidence` if its contract
   * confirmed the signature. Throws Refusal.
   */
  verifyResponse(
    ctx: Context,
    challenge: StreamChallenge,
    response: StreamChallengeResponse,
  ): Promise<{ walletAddress: string; evidence: ContractEvidence | null }>
  isStillAccepted(ctx: Context, evidence: ContractEvidence): Promise<boolean>
  /**
   * Returns the account of the wallet. Null if no account has it, or the account is suspended.
   * @param chainId chain of the wallet's contract; null if the wallet signs with its own key
   */
  findAccountOfWallet(walletAddress: string, chainId: number | null): Promise<string | null>
  /**
   * Returns the key that a client sent, which must have the scope `stream`, and counts the attempt.
   * Throws Refusal.
   */
  authenticateKey(token: string, network: string): Promise<Pick<AuthenticatedApiKey, 'id' | 'accountId'>>
  /**
   * Returns the key as currently stored. Null if it is revoked or expired, or its account
   * suspended.
   */
  findKey(id: string): Promise<{ accountId: string; expiresAt: Date | null } | null>
  findEntitlement(ctx: Context, accountId: string, now: Date): Promise<Entitlement | null>
  /** Returns the periods in which the account could read, in order, without revoked periods. */
  listPastPeriods(ctx: Context, accountId: string, now: Date): Promise<Entitlement[]>
}

export type Authorization =
  | { allowed: true; planType: PlanId | null; expiresAt: Date | null; entitledUntilMs: number }
  | { allowed: false; reason: 'session' | 'wallet' | 'key' | 'subscription'; message: string; closeCode: number }

/** The caller: a session that has proved the wallet, the wallet alone, or an API key. */
interface StreamCaller {
  sessionId: string | null
  accountId: string
  walletAddress: string | null
  keyId: string | null
  /**
   * Chain of the contract that accepted a program's signature; null if the wallet's own key signed.
   */
  chainId: number | null
}

/** Returns whether this socket may receive alerts now. Reads the rights from the database. */
export async function authorize(
  ctx: Context,
  rightsReader: RightsReader,
  caller: StreamCaller,
): Promise<Authorization> {
  const { sessionId } = caller
  const clientRights =
    sessionId === null ? await checkProgram(rightsReader, caller) : await checkSession(rightsReader, caller, sessionId)
  if ('allowed' in clientRights) return clientRights
  const entitlement = await rightsReader.findEntitlement(ctx, caller.accountId, ctx.clock.now())
  const untilMs = decideDeliveryRights({ readsAll: clientRights.readsAll, entitlement })
  if (untilMs === Number.NEGATIVE_INFINITY) {
    const closeCode = closeCodes.entitlementEnded
    return { allowed: false, reason: 'subscription', message: 'No active subscription', closeCode }
  }
  return {
    allowed: true,
    planType: entitlement?.planId ?? null,
    expiresAt: entitlement?.endsAt ?? null,
    entitledUntilMs: Math.min(untilMs, clientRights.untilMs ?? Number.POSITIVE_INFINITY),
  }
}

/** `untilMs` is the time when an API key expires. */
type ClientRights = { readsAll: boolean; untilMs?: number } | Extract<Authorization, { allowed: false }>

/** Checks a session. The session itself must have proved the wallet; this applies to staff too. */
async function checkSession(
  rightsReader: RightsReader,
  caller: StreamCaller,
  sessionId: string,
): Promise<ClientRights> {
  const actor = await rightsReader.findActorOfSession(sessionId)
  if (!actor || actor.accountId !== caller.accountId) {
    return { allowed: false, reason: 'session', message: 'The session has ended', closeCode: closeCodes.sessionEnded }
  }
  const wallet = caller.walletAddress?.toLowerCase()
  if (actor.provedWallets.some((provedWallet) => provedWallet.toLowerCase() === wallet))
    return { readsAll: actor.permissions.includes('alerts.read') }
  return {
    allowed: false,
    reason: 'wallet',
    message: 'This wallet is not verified in this session',
    closeCode: closeCodes.entitlementEnded,
  }
}

/**
 * Checks a program. It always needs a subscription: admin rights belong to a session, and programs
 * have none.
 */
async function checkProgram(
  rightsReader: RightsReader,
  { accountId, walletAddress, chainId, keyId }: StreamCaller,
): Promise<ClientRights> {
  if (keyId !== null) return checkApiKey(rightsReader, keyId, accountId)
  if (walletAddress !== null && (await rightsReader.findAccountOfWallet(walletAddress, chainId)) === accountId)
    return { readsAll: false }
  return {
    allowed: false,
    reason: 'wallet',
    message: 'The wallet is no longer valid for this account',
    closeCode: closeCodes.sessionEnded,
  }
}

async function checkApiKey(rightsReader: RightsReader, keyId: string, accountId: string): Promise<ClientRights> {
  const key = await rightsReader.findKey(keyId)
  if (key?.accountId === accountId) {
    return { readsAll: false, ...(key.expiresAt ? { untilMs: key.expiresAt.getTime() } : {}) }
  }
  const message = 'The API key is no longer valid'
  return { allowed: false, reason: 'key', message, closeCode: closeCodes.sessionEnded }
}
