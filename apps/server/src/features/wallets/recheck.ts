import { getAddress } from 'viem'
import { recordActivity } from '../../activity-log.ts'
import { findChainClient } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import type { Actor } from '../../http/route.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { mailSignInMethod } from '../sessions/mail-sign-in-method.ts'
import { endLapsedSession } from '../sessions/service.ts'
import { removeUnlessLast } from '../sessions/sign-in-methods.ts'
import { findSigner } from './signature.ts'
import { parseSiwe } from './siwe.ts'
import {
  type ContractProof,
  deleteProof,
  deleteWalletOn,
  isProvedAnywhere,
  listContractProofsCheckedBefore,
  listContractProofsOf,
  lockWallet,
  updateProofChecked,
} from './store.ts'
import { isSignIn } from './wallet-challenge.ts'

const CHECK_AFTER_MS = 300_000
const POLL_MS = 30_000

/**
 * Returns the wallets that this session still holds. Rechecks contract wallets, because the signer
 * that a contract accepts can change before a payment.
 * @throws Refusal unavailable if a contract cannot be called
 */
export async function confirmWallets(ctx: Context, actor: Actor): Promise<string[]> {
  const ended = new Set<string>()
  for (const proof of await listContractProofsOf(ctx.db, actor.sessionId)) {
    if (!(await check(ctx, proof))) ended.add(proof.address)
  }
  return actor.provedWallets.filter((address) => !ended.has(address))
}

/** Rechecks contract wallets until `signal` aborts. Run it on one instance at a time. */
export async function recheckContractWallets(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await checkWallets(ctx, signal)
    await pause(POLL_MS, signal)
  }
}

/**
 * Rechecks proofs of contract wallets that were last checked more than five minutes ago, so that a
 * long session does not outlive its proof. If a contract cannot be called, its proof stays valid
 * and is rechecked the next time.
 */
export async function checkWallets(ctx: Context, signal?: AbortSignal): Promise<void> {
  const checkedBefore = new Date(ctx.clock.now().getTime() - CHECK_AFTER_MS)
  for (const proof of await listContractProofsCheckedBefore(ctx.db, checkedBefore)) {
    if (signal?.aborted) return
    await check(ctx, proof).catch((error: unknown) => {
      ctx.logger.warn({ err: error, wallet: proof.address }, 'rechecking a contract wallet failed')
    })
  }
}

/**
 * Rechecks one proof and ends it if the contract rejects it. Returns true if the proof is still
 * valid.
 */
async function check(ctx: Context, proof: ContractProof): Promise<boolean> {
  const chain = findChainClient(ctx, parseSiwe(proof.message)?.chainId ?? 0)
  const signer = await findSigner(chain, { ...proof, address: getAddress(proof.address) })
  if (signer !== null) {
    await updateProofChecked(ctx.db, proof, ctx.clock.now())
    return true
  }
  await endProof(ctx, proof)
  await unlinkUnproved(ctx, proof)
  return false
}

/** Deletes the proof. Also ends the session if the session was started with this signature. */
async function endProof(ctx: Context, proof: ContractProof): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, proof.accountId)
    if (!(await deleteProof(tx, proof))) return
    if (isSignIn(proof.message)) await endLapsedSession(ctx, tx, proof)
    await ctx.wake.notify(tx, 'entitlement', proof.accountId)
  })
}

/**
 * Unlinks the wallet, unless another session has proved it or it is the only sign-in method. In the
 * latter case, every signer that the contract accepts can still sign in.
 */
async function unlinkUnproved(ctx: Context, proof: ContractProof): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { address, accountId } = proof
    await lockWallet(tx, address)
    if (await isProvedAnywhere(tx, proof)) return
    const isUnlinked = await removeUnlessLast(tx, accountId, () => deleteWalletOn(tx, proof))
    if (!isUnlinked) return
    const detail = 'Wallet unlinked: its contract no longer accepts the signature that proved it'
    await recordActivity(tx, { accountId, kind: 'wallet_unlinked', detail, reference: address, at: ctx.clock.now() })
    await mailSignInMethod(ctx, tx, accountId, { change: 'rejected', method: `Wallet ${address}` })
  })
}
