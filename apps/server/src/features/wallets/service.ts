import { getAddress } from 'viem'
import { recordActivity } from '../../activity-log.ts'
import { findPaymentChain, isConfigured } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { type Actor, assertRecentAuthentication } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { listAddresses } from '../sessions/linked-wallets.ts'
import { mailSignInMethod } from '../sessions/mail-sign-in-method.ts'
import { type RenewedSession, renewSession } from '../sessions/renew-session.ts'
import { removeSignInMethod } from '../sessions/sign-in-methods.ts'
import {
  createChallengeMessage,
  createProofChains,
  type ProvedWallet,
  verifyChallengeResponse,
  type WalletProof,
} from './challenge.ts'
import {
  type Challenge,
  consumeChallenge,
  deleteWallet,
  insertProof,
  insertWallet,
  listWalletsAt,
  lockSessionShared,
  lockWallet,
  replaceChallenge,
  saveChain,
} from './store.ts'
import { assertLinkable, EVERY_CHAIN, findMatchingWallet } from './wallet.ts'
import { nameAccount, readNonce } from './wallet-challenge.ts'

const MAX_WALLETS = 20

/**
 * Creates the message that the wallet has to sign. Replaces the previous challenge of this session
 * for the same wallet.
 */
export async function createChallenge(
  ctx: Context,
  actor: Actor,
  walletAddress: string,
  kind: Challenge['purpose'] = 'link',
): Promise<{ message: string; expiresAt: Date }> {
  const account = nameAccount({ id: actor.accountId, email: actor.email })
  const chainId = kind === 'confirm' ? await findChainToConfirmOn(ctx, actor, walletAddress) : undefined
  const challenge = await createChallengeMessage(ctx, walletAddress, { kind, account }, chainId)
  if (kind === 'link') await assertMayLink(ctx, actor, challenge.address)
  await ctx.db.transaction(async (tx) => {
    const sessionIdHash = await lockSessionShared(tx, actor.sessionId)
    if (!sessionIdHash) throw createSessionRefusal()
    await replaceChallenge(tx, { ...challenge, sessionIdHash, purpose: kind }, ctx.clock.now())
  })
  return challenge
}

/**
 * Returns the chain on which the account's contract wallet must confirm, or undefined for the
 * current payment chain.
 */
async function findChainToConfirmOn(ctx: Context, actor: Actor, walletAddress: string): Promise<number | undefined> {
  const linkedWallets = await listWalletsAt(ctx.db, getAddress(walletAddress))
  const ownChainIds = linkedWallets
    .filter(({ accountId }) => accountId === actor.accountId)
    .map(({ chainId }) => chainId)
  const payment = await findPaymentChain(ctx)
  if (ownChainIds.some((chainId) => chainId <= EVERY_CHAIN || chainId === payment.id)) return undefined
  return ownChainIds.find((chainId) => isConfigured(ctx.config, chainId))
}

/**
 * Checks that the account may link the address. A linked wallet can sign in to the account, so
 * adding one requires recent reauthentication. This is checked when the challenge is created, and
 * the user may then sign it until it expires.
 */
async function assertMayLink(ctx: Context, actor: Actor, address: string): Promise<void> {
  const isOwn = (await listWalletsAt(ctx.db, address)).some(({ accountId }) => accountId === actor.accountId)
  if (!isOwn) assertRecentAuthentication(actor, ctx.clock.now())
}

/**
 * Verifies the signed message, links the wallet and marks it as proved in this session. The
 * challenge can be used once.
 */
export async function proveWallet(
  ctx: Context,
  actor: Actor,
  proof: WalletProof,
): Promise<{ address: string; session: RenewedSession }> {
  const provedWallet = await verifyProof(ctx, actor, 'link', proof)
  return { address: provedWallet.address, session: await linkWallet(ctx, actor, provedWallet) }
}

/** Reauthenticates the session with a signature of a linked wallet. */
export async function confirmWithWallet(ctx: Context, actor: Actor, proof: WalletProof): Promise<RenewedSession> {
  const { address, chainId } = await verifyProof(ctx, actor, 'confirm', proof)
  return ctx.db.transaction(async (tx) => {
    const session = await renewSession(ctx, tx, actor, { authenticatedAt: ctx.clock.now() })
    const wallet = findMatchingWallet(await listWalletsAt(tx, address), createProofChains(ctx, chainId))
    if (wallet?.accountId !== actor.accountId) {
      throw new Refusal('forbidden', 'This wallet is not linked to your account.')
    }
    return session
  })
}

async function verifyProof(
  ctx: Context,
  actor: Actor,
  purpose: Challenge['purpose'],
  proof: WalletProof,
): Promise<ProvedWallet> {
  const nonce = readNonce(proof.message)
  // The challenge is deleted before anything is checked, so that it can be used only once, even if
  // the signature is invalid.
  const challenge = nonce ? await consumeChallenge(ctx.db, nonce, actor.sessionId) : undefined
  return verifyChallengeResponse(ctx, challenge?.purpose === purpose ? challenge : undefined, proof)
}

async function linkWallet(
  ctx: Context,
  actor: Actor,
  { address, chainId, evidence }: ProvedWallet,
): Promise<RenewedSession> {
  const { accountId } = actor
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    await lockWallet(tx, address)
    const session = await renewSession(ctx, tx, actor)
    const linkedWallets = await listWalletsAt(tx, address)
    assertLinkable(linkedWallets, chainId, accountId)
    const ownWallets = linkedWallets.filter((wallet) => wallet.accountId === accountId)
    const walletOfUnknownChain = ownWallets.find((wallet) => wallet.chainId < EVERY_CHAIN)
    const isCovered = ownWallets.some((wallet) => wallet.chainId === EVERY_CHAIN || wallet.chainId === chainId)
    if (!isCovered && walletOfUnknownChain) await saveChain(tx, walletOfUnknownChain, chainId)
    else if (!isCovered) {
      // Linking the wallet on another chain or by key adds a sign-in method, which requires recent
      // reauthentication.
      if (ownWallets.length > 0) assertRecentAuthentication(actor, at)
      else await assertFewWallets(tx, accountId)
      await insertWallet(tx, { address, chainId, accountId, linkedAt: at })
      await mailSignInMethod(ctx, tx, accountId, { change: 'added', method: `Wallet ${address}` })
    }
    await insertProof(tx, { sessionIdHash: session.idHash, address, chainId, evidence, signedIn: false, at })
    if (ownWallets.length === 0)
      await recordActivity(tx, { accountId, kind: 'wallet_proved', detail: 'Wallet verified', reference: address, at })
    await ctx.notifications.notify(tx, 'entitlement', accountId)
    return session
  })
}

/**
 * Limits the wallets of an account, because each contract wallet is rechecked. Callers must hold
 * the account lock.
 */
async function assertFewWallets(tx: Tx, accountId: string): Promise<void> {
  if ((await listAddresses(tx, accountId)).length < MAX_WALLETS) return
  throw new Refusal('too_many_wallets', `An account has at most ${MAX_WALLETS} wallets. Unlink one first.`)
}

/**
 * Unlinks the wallet from the account and ends the account's other sessions. Payments from the
 * wallet are kept.
 */
export async function unlinkWallet(ctx: Context, actor: Actor, walletAddress: string): Promise<void> {
  const { accountId } = actor
  await ctx.db.transaction((tx) =>
    removeSignInMethod(ctx, tx, actor, () => removeWallet(ctx, tx, accountId, walletAddress)),
  )
}

/** Returns false if the account has no such wallet. */
export async function removeWallet(ctx: Context, tx: Tx, accountId: string, walletAddress: string): Promise<boolean> {
  const address = getAddress(walletAddress)
  if (!(await deleteWallet(tx, { address, accountId }))) return false
  const at = ctx.clock.now()
  await recordActivity(tx, { accountId, kind: 'wallet_unlinked', detail: 'Wallet unlinked', reference: address, at })
  await mailSignInMethod(ctx, tx, accountId, { change: 'removed', method: `Wallet ${address}` })
  await ctx.notifications.notify(tx, 'entitlement', accountId)
  return true
}

/**
 * Returns the user of a wallet. Only the wallet's owner and staff may read it.
 * @throws Refusal not_found for everyone else, as if the wallet were unknown
 */
export async function getWalletUser(ctx: Context, actor: Actor, walletAddress: string) {
  const linkedWallets = await listWalletsAt(ctx.db, getAddress(walletAddress))
  const wallet =
    linkedWallets.find(({ accountId }) => accountId === actor.accountId) ??
    (actor.permissions.includes('users.read') ? linkedWallets[0] : undefined)
  if (!wallet) {
    throw new Refusal('not_found', 'No user has this wallet')
  }
  return { id: wallet.accountId, walletAddress: wallet.address }
}

/** Returns the caller as the user of a wallet that this session has proved. */
export function claimWalletUser(actor: Actor, walletAddress: string) {
  const address = getAddress(walletAddress)
  if (!actor.provedWallets.includes(address)) {
    throw new Refusal('wallet_not_proved', 'Verify this wallet with a signature first.')
  }
  return { id: actor.accountId, walletAddress: address }
}

/**
 * Returns the account that the wallet can sign in to, or null.
 * @param chainId chain of the contract wallet, or null for a key
 */
export async function findOwner(ctx: Context, walletAddress: string, chainId: number | null): Promise<string | null> {
  const linkedWallets = await listWalletsAt(ctx.db, getAddress(walletAddress))
  return findMatchingWallet(linkedWallets, createProofChains(ctx, chainId ?? EVERY_CHAIN))?.accountId ?? null
}

const createSessionRefusal = () => new Refusal('not_signed_in', 'Sign in first')
