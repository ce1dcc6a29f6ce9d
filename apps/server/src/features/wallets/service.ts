import { getAddress } from 'viem'
import { recordActivity } from '../../activity-log.ts'
import { findPaymentChain, isConfigured } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { type Actor, assertRecent } from '../../http/route.ts'
import { mailWayIn } from '../../mail-way-in.ts'
import { Refusal } from '../../refusal.ts'
import { type ProvedWallet, provedOn, verifyAnswer, type WalletProof, writeChallenge } from './challenge.ts'
import {
  type Challenge,
  deleteWallet,
  holdSession,
  insertProof,
  insertWallet,
  listAddresses,
  listWalletsAt,
  listWalletsOf,
  lockWallet,
  replaceChallenge,
  saveChain,
  takeChallenge,
} from './store.ts'
import { assertFree, EVERY_CHAIN, findOpened } from './wallet.ts'
import { nameAccount, readNonce } from './wallet-challenge.ts'

/** Gives a session that gains rights a new id. `authenticatedAt` says that its person has just proved who they are. */
export type RenewSession<Renewed extends { idHash: string }> = (
  ctx: Context,
  tx: Tx,
  actor: Actor,
  authenticatedAt?: Date,
) => Promise<Renewed>

/** Removes a way to sign in, unless it is the account's last. `remove` answers whether there was anything to remove. */
export type RemoveWayIn = (tx: Tx, accountId: string, remove: () => Promise<boolean>) => Promise<void>

/** Writes the message that this session's wallet is to sign. A former one for the same wallet ends. */
export async function createChallenge(
  ctx: Context,
  actor: Actor,
  walletAddress: string,
  kind: Challenge['purpose'] = 'link',
): Promise<{ message: string; expiresAt: Date }> {
  const account = nameAccount({ id: actor.accountId, email: actor.email })
  const chainId = kind === 'confirm' ? await findChainToConfirmOn(ctx, actor, walletAddress) : undefined
  const challenge = await writeChallenge(ctx, walletAddress, { kind, account }, chainId)
  if (kind === 'link') await assertMayLink(ctx, actor, challenge.address)
  await ctx.db.transaction(async (tx) => {
    const sessionIdHash = await holdSession(tx, actor.sessionId)
    if (!sessionIdHash) throw sessionEnded()
    await replaceChallenge(tx, { ...challenge, sessionIdHash, purpose: kind }, ctx.clock.now())
  })
  return challenge
}

/** The chain of a contract wallet that the account has linked elsewhere than where payments are made now. */
async function findChainToConfirmOn(ctx: Context, actor: Actor, walletAddress: string): Promise<number | undefined> {
  const linked = await listWalletsAt(ctx.db, getAddress(walletAddress))
  const own = linked.filter(({ accountId }) => accountId === actor.accountId).map(({ chainId }) => chainId)
  const payment = await findPaymentChain(ctx)
  if (own.some((chainId) => chainId <= EVERY_CHAIN || chainId === payment.id)) return undefined
  return own.find((chainId) => isConfigured(ctx.config, chainId))
}

/**
 * A wallet signs its account in from then on: only who has just confirmed to be the account's person may add one. Asked before the wallet is:
 * whoever was given the message to sign may take until it ends.
 */
async function assertMayLink(ctx: Context, actor: Actor, address: string): Promise<void> {
  const isOwn = (await listWalletsAt(ctx.db, address)).some(({ accountId }) => accountId === actor.accountId)
  if (!isOwn) assertRecent(actor, ctx.clock.now())
}

/** Checks the signed message, once and for all, and links the wallet, which is proved in this session from then on. */
export async function proveWallet<Renewed extends { idHash: string }>(
  ctx: Context,
  actor: Actor,
  proof: WalletProof,
  renewSession: RenewSession<Renewed>,
): Promise<{ address: string; session: Renewed }> {
  const proved = await answer(ctx, actor, 'link', proof)
  return { address: proved.address, session: await linkWallet(ctx, actor, proved, renewSession) }
}

/** The person behind the session has just signed with a wallet of the account. */
export async function confirmWithWallet<Renewed extends { idHash: string }>(
  ctx: Context,
  actor: Actor,
  proof: WalletProof,
  renewSession: RenewSession<Renewed>,
): Promise<Renewed> {
  const { address, chainId } = await answer(ctx, actor, 'confirm', proof)
  return ctx.db.transaction(async (tx) => {
    const wallet = findOpened(await listWalletsAt(tx, address), provedOn(ctx, chainId))
    if (wallet?.accountId !== actor.accountId) {
      throw new Refusal('forbidden', 'This wallet is not linked to your account.')
    }
    return renewSession(ctx, tx, actor, ctx.clock.now())
  })
}

async function answer(
  ctx: Context,
  actor: Actor,
  purpose: Challenge['purpose'],
  proof: WalletProof,
): Promise<ProvedWallet> {
  const nonce = readNonce(proof.message)
  // Taken before anything is checked, and for good: a challenge has one answer, right or wrong.
  const challenge = nonce ? await takeChallenge(ctx.db, nonce, actor.sessionId) : undefined
  return verifyAnswer(ctx, challenge?.purpose === purpose ? challenge : undefined, proof)
}

async function linkWallet<Renewed extends { idHash: string }>(
  ctx: Context,
  actor: Actor,
  { address, chainId, evidence }: ProvedWallet,
  renewSession: RenewSession<Renewed>,
): Promise<Renewed> {
  const { accountId } = actor
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const session = await renewSession(ctx, tx, actor)
    await lockWallet(tx, address)
    const linked = await listWalletsAt(tx, address)
    assertFree(linked, chainId, accountId)
    const own = linked.filter((wallet) => wallet.accountId === accountId)
    const unknown = own.find((wallet) => wallet.chainId < EVERY_CHAIN)
    const isCovered = own.some((wallet) => wallet.chainId === EVERY_CHAIN || wallet.chainId === chainId)
    if (!isCovered && unknown) await saveChain(tx, unknown, chainId)
    else if (!isCovered) {
      // One more way in, on another chain or by the key.
      if (own.length > 0) assertRecent(actor, at)
      await insertWallet(tx, { address, chainId, accountId, linkedAt: at })
      await mailWayIn(ctx, tx, accountId, { change: 'added', way: `Wallet ${address}` })
    }
    await insertProof(tx, { sessionIdHash: session.idHash, address, chainId, evidence, at })
    if (own.length === 0)
      await recordActivity(tx, { accountId, kind: 'wallet_proved', detail: 'Wallet proved', reference: address, at })
    await ctx.wake.notify(tx, 'entitlement', accountId)
    return session
  })
}

/** Takes the wallet off its account: no session speaks for it any more. What it has paid stays. */
export async function unlinkWallet(
  ctx: Context,
  actor: Actor,
  walletAddress: string,
  removeWayIn: RemoveWayIn,
): Promise<void> {
  const { accountId } = actor
  await ctx.db.transaction((tx) => removeWayIn(tx, accountId, () => removeWallet(ctx, tx, accountId, walletAddress)))
}

/** False if the account has no such wallet. */
export async function removeWallet(ctx: Context, tx: Tx, accountId: string, walletAddress: string): Promise<boolean> {
  const address = getAddress(walletAddress)
  if (!(await deleteWallet(tx, { address, accountId }))) return false
  const at = ctx.clock.now()
  await recordActivity(tx, { accountId, kind: 'wallet_unlinked', detail: 'Wallet unlinked', reference: address, at })
  await mailWayIn(ctx, tx, accountId, { change: 'removed', way: `Wallet ${address}` })
  await ctx.wake.notify(tx, 'entitlement', accountId)
  return true
}

/** The wallet's account, for its owner and for admins. For anybody else there is no such wallet. */
export async function getWalletUser(ctx: Context, actor: Actor, walletAddress: string) {
  const linked = await listWalletsAt(ctx.db, getAddress(walletAddress))
  const wallet =
    linked.find(({ accountId }) => accountId === actor.accountId) ?? (actor.isAdmin ? linked[0] : undefined)
  if (!wallet) {
    throw new Refusal('not_found', 'No user has this wallet')
  }
  return { id: wallet.accountId, walletAddress: wallet.address }
}

/** The caller, as the user of a wallet that this session has proved. */
export function claimWalletUser(actor: Actor, walletAddress: string) {
  const address = getAddress(walletAddress)
  if (!actor.provedWallets.includes(address)) {
    throw new Refusal('wallet_not_proved', 'Prove this wallet with a signature first.')
  }
  return { id: actor.accountId, walletAddress: address }
}

/** The wallets that an account has proved, checksummed, oldest first. */
export function listWallets(ctx: Context, accountId: string): Promise<string[]> {
  return listAddresses(ctx.db, accountId)
}

/** The account that a wallet opens now, or null. @param chainId of the contract that speaks for it, null for its own key */
export async function findOwner(ctx: Context, walletAddress: string, chainId: number | null): Promise<string | null> {
  const linked = await listWalletsAt(ctx.db, getAddress(walletAddress))
  return findOpened(linked, provedOn(ctx, chainId ?? EVERY_CHAIN))?.accountId ?? null
}

/** The same with the moment when each was proved first. */
export function listLinkedWallets(ctx: Context, accountId: string): ReturnType<typeof listWalletsOf> {
  return listWalletsOf(ctx.db, accountId)
}

const sessionEnded = () => new Refusal('not_signed_in', 'Sign in first')
