import { getAddress } from 'viem'
import { recordActivity } from '../../activity-log.ts'
import { findChainClient } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { pause } from '../../db/leader.ts'
import type { Actor } from '../../http/route.ts'
import { mailWayIn } from '../../mail-way-in.ts'
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

/** Account functions that ending a proof needs. */
export interface ProofEnds {
  /** Locks the account against changes, including those of its sessions and wallets. */
  lockAccount(tx: Tx, accountId: string): Promise<unknown>
  endSession(ctx: Context, tx: Tx, session: { accountId: string; sessionId: string }): Promise<void>
  /**
   * Removes a sign-in method, unless it is the last one of the account. Returns whether it was
   * removed.
   */
  removeUnlessLast(tx: Tx, accountId: string, remove: () => Promise<boolean>): Promise<boolean>
}

const CHECK_AFTER_MS = 300_000
const POLL_MS = 30_000

/**
 * Returns the wallets that this session still holds. Rechecks contract wallets, because the signer
 * that a contract accepts can change before a payment.
 * @throws Refusal unavailable if a contract cannot be called
 */
export async function confirmWallets(ctx: Context, actor: Actor, ends: ProofEnds): Promise<string[]> {
  const ended = new Set<string>()
  for (const proof of await listContractProofsOf(ctx.db, actor.sessionId)) {
    if (!(await check(ctx, proof, ends))) ended.add(proof.address)
  }
  return actor.provedWallets.filter((address) => !ended.has(address))
}

/** Rechecks contract wallets until `signal` aborts. Run it on one instance at a time. */
export async function recheckContractWallets(ctx: Context, signal: AbortSignal, ends: ProofEnds): Promise<void> {
  while (!signal.aborted) {
    await checkWallets(ctx, ends, signal)
    await pause(POLL_MS, signal)
  }
}

/**
 * Rechecks proofs of contract wallets that were last checked more than five minutes ago, so that a
 * long session does not outlive its proof. If a contract cannot be called, its proof stays valid
 * and is rechecked the next time.
 */
export async function checkWallets(ctx: Context, ends: ProofEnds, signal?: AbortSignal): Promise<void> {
  const checkedBefore = new Date(ctx.clock.now().getTime() - CHECK_AFTER_MS)
  for (const proof of await listContractProofsCheckedBefore(ctx.db, checkedBefore)) {
    if (signal?.aborted) return
    await check(ctx, proof, ends).catch((error: unknown) => {
      ctx.logger.warn({ err: error, wallet: proof.address }, 'rechecking a contract wallet failed')
    })
  }
}

/**
 * Rechecks one proof and ends it if the contract rejects it. Returns true if the proof is still
 * valid.
 */
async function check(ctx: Context, proof: ContractProof, ends: ProofEnds): Promise<boolean> {
  const chain = findChainClient(ctx, parseSiwe(proof.message)?.chainId ?? 0)
  const signer = await findSigner(chain, { ...proof, address: getAddress(proof.address) })
  if (signer !== null) {
    await updateProofChecked(ctx.db, proof, ctx.clock.now())
    return true
  }
  await endProof(ctx, proof, ends)
  await unlinkUnproved(ctx, proof, ends)
  return false
}

/** Deletes the proof. Also ends the session if the session was started with this signature. */
async function endProof(ctx: Context, proof: ContractProof, { lockAccount, endSession }: ProofEnds): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAccount(tx, proof.accountId)
    if (!(await deleteProof(tx, proof))) return
    if (isSignIn(proof.message)) await endSession(ctx, tx, proof)
    await ctx.wake.notify(tx, 'entitlement', proof.accountId)
  })
}

/**
 * Unlinks the wallet, unless another session has proved it or it is the only sign-in method. In the
 * latter case, whoever the contract accepts can still sign in.
 */
async function unlinkUnproved(ctx: Context, proof: ContractProof, { removeUnlessLast }: ProofEnds): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { address, accountId } = proof
    await lockWallet(tx, address)
    if (await isProvedAnywhere(tx, proof)) return
    const isUnlinked = await removeUnlessLast(tx, accountId, () => deleteWalletOn(tx, proof))
    if (!isUnlinked) return
    const detail = 'Wallet unlinked: its contract no longer accepts the signature that proved it'
    await recordActivity(tx, { accountId, kind: 'wallet_unlinked', detail, reference: address, at: ctx.clock.now() })
    await mailWayIn(ctx, tx, accountId, { change: 'removed', way: `Wallet ${address}` })
  })
}
