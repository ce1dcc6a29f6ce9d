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
  lockSession,
  lockWallet,
  updateProofChecked,
} from './store.ts'
import { isSignIn } from './wallet-challenge.ts'

/** What ending a proof needs of accounts. */
export interface ProofEnds {
  endSession(ctx: Context, tx: Tx, session: { accountId: string; sessionId: string }): Promise<void>
  /** Removes a way to sign in; does nothing to the account's last one. */
  removeUnlessLast(tx: Tx, accountId: string, remove: () => Promise<boolean>): Promise<boolean>
}

const CHECK_AFTER_MS = 300_000
const POLL_MS = 30_000

/**
 * The wallets that this session still holds, its contract wallets asked again: whoever pays now must be who the contract speaks for now.
 * @throws Refusal `unavailable` where a contract can't be asked
 */
export async function confirmWallets(ctx: Context, actor: Actor, ends: ProofEnds): Promise<string[]> {
  const ended = new Set<string>()
  for (const proof of await listContractProofsOf(ctx.db, actor.sessionId)) {
    if (!(await check(ctx, proof, ends))) ended.add(proof.address)
  }
  return actor.provedWallets.filter((address) => !ended.has(address))
}

/** Checks until `signal` aborts; one instance at a time. */
export async function recheckContractWallets(ctx: Context, signal: AbortSignal, ends: ProofEnds): Promise<void> {
  while (!signal.aborted) {
    await checkWallets(ctx, ends, signal)
    await pause(POLL_MS, signal)
  }
}

/**
 * Asks the contracts of wallets that were proved a while ago, so that a long session does not outlive what it rests on. One that can't be asked
 * is asked the next time: what was proved stays until somebody says no.
 */
export async function checkWallets(ctx: Context, ends: ProofEnds, signal?: AbortSignal): Promise<void> {
  const checkedBefore = new Date(ctx.clock.now().getTime() - CHECK_AFTER_MS)
  for (const proof of await listContractProofsCheckedBefore(ctx.db, checkedBefore)) {
    if (signal?.aborted) return
    await check(ctx, proof, ends).catch((error: unknown) => {
      ctx.logger.warn({ err: error, wallet: proof.address }, 'a contract wallet could not be asked again')
    })
  }
}

/** Whether the proof still counts. */
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

/** What the signature has opened ends with it: a session that was signed in by it, else the proof alone. */
async function endProof(ctx: Context, proof: ContractProof, { endSession }: ProofEnds): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockSession(tx, proof.sessionId)
    if (!(await deleteProof(tx, proof))) return
    if (isSignIn(proof.message)) await endSession(ctx, tx, proof)
    await ctx.wake.notify(tx, 'entitlement', proof.accountId)
  })
}

/** The wallet leaves its account, unless it was proved anew or is the only way in: then whoever the contract speaks for signs in again. */
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
