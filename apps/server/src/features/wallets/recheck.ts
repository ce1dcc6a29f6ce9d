import { getAddress } from 'viem'
import { recordActivity } from '../../activity-log.ts'
import { findChainClient } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { mapLimit } from '../../map-limit.ts'
import { createOutageLog } from '../../outage-log.ts'
import { pause } from '../../pause.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { mailSignInMethod } from '../sessions/mail-sign-in-method.ts'
import { endLapsedSession } from '../sessions/service.ts'
import { removeUnlessLastMethod } from '../sessions/sign-in-methods.ts'
import { findSigner } from './signature.ts'
import { parseSiwe } from './siwe.ts'
import {
  type ContractProof,
  deleteProof,
  deleteWalletOn,
  isProvedAnywhere,
  listContractProofsOf,
  listDueProofs,
  lockWallet,
  updateProofChecked,
} from './store.ts'

const POLL_MS = 30_000
const MAX_PROOFS_PER_ROUND = 100
/**
 * Maximum number of concurrent checks. Checks are concurrent so that a slow response of a node does
 * not delay all others.
 */
const CONCURRENCY = 8

/**
 * Returns the addresses whose wallets are still proved in this session. Rechecks contract wallets,
 * because the signer that a contract accepts can change before a payment.
 * @throws Refusal unavailable if a contract cannot be called
 */
export async function confirmWallets(
  ctx: Context,
  { sessionId, provedWallets }: { sessionId: string; provedWallets: readonly string[] },
  addresses: readonly string[],
): Promise<string[]> {
  const endedIds = new Set<string>()
  for (const proof of await listContractProofsOf(ctx.db, sessionId, addresses)) {
    if (!(await recheckProof(ctx, proof))) endedIds.add(proof.address)
  }
  return provedWallets.filter((address) => addresses.includes(address) && !endedIds.has(address))
}

/** Rechecks contract wallets until `signal` aborts. Run it on one instance at a time. */
export async function recheckContractWallets(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const checkedCount = await checkWallets(ctx, signal)
    if (checkedCount < MAX_PROOFS_PER_ROUND) await pause(POLL_MS, signal)
  }
}

/**
 * Rechecks up to `MAX_PROOFS_PER_ROUND` overdue proofs of contract wallets, so that a long session
 * does not outlive its proof. If a contract cannot be called, its proof stays valid until its next
 * recheck. It is not retried earlier, so that it does not delay other proofs.
 * @returns the number of proofs that were due
 */
export async function checkWallets(ctx: Context, signal?: AbortSignal): Promise<number> {
  const dueProofs = await listDueProofs(ctx.db, ctx.clock.now(), MAX_PROOFS_PER_ROUND)
  await mapLimit(CONCURRENCY, dueProofs, async (proof) => {
    if (signal?.aborted) return
    try {
      await recheckProof(ctx, proof)
      outage.recordSuccess(ctx)
    } catch (error) {
      outage.recordFailure(ctx, error, { wallet: proof.address })
      await updateProofChecked(ctx.db, proof, ctx.clock.now())
    }
  })
  return dueProofs.length
}

const outage = createOutageLog({
  begins: 'contract wallets cannot be rechecked',
  ends: 'contract wallets are rechecked again',
})

/**
 * Rechecks one proof and ends it if the contract rejects it. Returns true if the proof is still
 * valid.
 */
async function recheckProof(ctx: Context, proof: ContractProof): Promise<boolean> {
  const chain = findChainClient(ctx, parseSiwe(proof.message)?.chainId ?? 0)
  const signer = await findSigner(chain, { ...proof, address: getAddress(proof.address) })
  if (signer !== null) {
    await updateProofChecked(ctx.db, proof, ctx.clock.now())
    return true
  }
  await endProof(ctx, proof)
  return false
}

/**
 * Deletes the proof and unlinks its wallet. Also ends the session if the wallet started it. This is
 * one transaction: without its proof, the wallet is not rechecked, so it would stay linked.
 */
async function endProof(ctx: Context, proof: ContractProof): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockWallet(tx, proof.address)
    await lockAccount(tx, proof.accountId)
    // The proof may be gone because its session has ended, but the wallet must still be unlinked.
    if ((await deleteProof(tx, proof)) && proof.signedIn) await endLapsedSession(ctx, tx, proof)
    await unlinkUnprovedWallet(ctx, tx, proof)
    // Also closes the sockets of programs that authenticated with the wallet.
    await ctx.notifications.notify(tx, 'entitlement', proof.accountId)
  })
}

/**
 * Unlinks the wallet, unless another session has proved it or it is the only sign-in method. If it
 * is the only method, every signer that the contract accepts can still sign in.
 */
async function unlinkUnprovedWallet(ctx: Context, tx: Tx, proof: ContractProof): Promise<void> {
  const { address, accountId } = proof
  if (await isProvedAnywhere(tx, proof)) return
  const isUnlinked = await removeUnlessLastMethod(ctx, tx, accountId, () => deleteWalletOn(tx, proof))
  if (!isUnlinked) return
  const detail = 'Wallet unlinked: its contract no longer accepts the signature that verified it'
  await recordActivity(tx, { accountId, kind: 'wallet_unlinked', detail, reference: address, at: ctx.clock.now() })
  await mailSignInMethod(ctx, tx, accountId, { change: 'rejected', method: `Wallet ${address}` })
}
