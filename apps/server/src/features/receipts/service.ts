import { encodeReceipt, hashReceipt, type ProofDomain } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { assertPaid, stateReceipt } from './receipt.ts'
import * as store from './store.ts'

/** The canonical bytes as text, with the signature of the log's key. */
export interface SignedReceipt {
  bytes: string
  signature: string
  /** The chain that was paid on. */
  chainId: number
}

/**
 * The receipt of a paid period. It is signed when it is first asked for, and again only when the period has moved.
 * @param accountId whose it must be; null for an admin, who may see everybody's
 * @throws Refusal not_found, or payment_unknown while the payment is off the chain
 */
export async function getReceipt(
  ctx: Context,
  domain: ProofDomain,
  { subscriptionId, accountId }: { subscriptionId: string; accountId: string | null },
): Promise<SignedReceipt> {
  const period = isUuid(subscriptionId) ? await store.findPaidPeriod(ctx.db, subscriptionId) : null
  if (!period || (accountId !== null && period.accountId !== accountId)) {
    throw new Refusal('not_found', 'There is no such subscription.')
  }
  const { chainId } = assertPaid(period)
  const stored = await store.findReceipt(ctx.db, period)
  if (stored) return { bytes: stored.bytes, signature: stored.signature, chainId }
  const log = await store.findLogMoment(ctx.db)
  const signer = ctx.signers.find(log.signer)
  if (!signer) throw new Refusal('log_stopped', 'This server does not hold the key that signs.')
  const now = ctx.clock.now()
  const statement = stateReceipt(period, { treasury: ctx.config.payment.treasury, log, now })
  const bytes = Buffer.from(encodeReceipt(statement)).toString('utf8')
  const signature = signer.signDigest(hashReceipt(domain, statement))
  const { id, startsAt, endsAt } = period
  await store.insertReceipt(ctx.db, { subscriptionId: id, startsAt, endsAt, bytes, signature, issuedAt: now })
  const made = await store.findReceipt(ctx.db, period)
  if (!made) throw new Error('The receipt was not stored')
  return { bytes: made.bytes, signature: made.signature, chainId }
}
