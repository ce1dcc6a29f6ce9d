import { encodeReceipt, hashReceipt } from '@tocsin/proof'
import { findContext } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { getProofDomain } from '../tlog/proof-domain.ts'
import { findHead } from '../tlog/store.ts'
import { assertPaid, buildReceiptStatement, namesPayments } from './receipt.ts'
import * as store from './store.ts'

/** The canonical bytes of the receipt as text, with a signature of the log's key. */
export interface SignedReceipt {
  bytes: string
  signature: string
  /** Chain of the payment. */
  chainId: number
}

/**
 * Returns the receipt of a paid period. It is signed on first request, and again if the period's
 * times or payments have changed.
 * @param accountId required owner; null for an admin, who may read every receipt
 * @throws Refusal not_found if the receipt is unknown, or if its treasury was not recorded and
 *   its chain is not configured any more; payment_unknown while the payment is reverted;
 *   receipt_too_long; log_stopped if this server does not have the signing key
 */
export async function getReceipt(
  ctx: Context,
  { subscriptionId, accountId }: { subscriptionId: string; accountId: string | null },
): Promise<SignedReceipt> {
  const period = isUuid(subscriptionId) ? await store.findPaidPeriod(ctx.db, subscriptionId) : null
  if (!period || (accountId !== null && period.accountId !== accountId)) {
    throw new Refusal('not_found', 'Subscription not found.')
  }
  const { chainId } = assertPaid(period)
  const storedReceipt = await store.findReceipt(ctx.db, period)
  if (storedReceipt && namesPayments(storedReceipt.bytes, period)) {
    return { bytes: storedReceipt.bytes, signature: storedReceipt.signature, chainId }
  }
  const { size, signer: signerAddress } = await findHead(ctx.db)
  const signer = signerAddress && ctx.signers.find(signerAddress)
  if (!signer) throw new Refusal('log_stopped', 'This server does not have the signing key of the log.')
  const treasury = period.treasury ?? findContext(ctx, chainId)?.config.payment.treasury
  if (!treasury) throw new Refusal('not_found', 'There is no receipt: the chain of this payment is not configured.')
  const now = ctx.clock.now()
  const statement = buildReceiptStatement(period, { treasury, log: { size, signer: signer.address }, now })
  const bytes = Buffer.from(encodeReceipt(statement)).toString('utf8')
  const signature = signer.signDigest(hashReceipt(getProofDomain(ctx), statement))
  const { id, startsAt, endsAt } = period
  const receipt = { subscriptionId: id, startsAt, endsAt, bytes, signature, issuedAt: now }
  await store.saveReceipt(ctx.db, receipt, storedReceipt?.bytes)
  const savedReceipt = await store.findReceipt(ctx.db, period)
  if (!savedReceipt) throw new Error('The receipt was not stored')
  return { bytes: savedReceipt.bytes, signature: savedReceipt.signature, chainId }
}
