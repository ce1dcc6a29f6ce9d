import { randomBytes } from 'node:crypto'
import { type Address, getAddress } from 'viem'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { verifyWalletSignature } from './signature.ts'
import {
  type Challenge,
  findWallet,
  holdSession,
  insertProof,
  insertWallet,
  listAddresses,
  replaceChallenge,
  takeChallenge,
} from './store.ts'
import { CHALLENGE_LIFETIME_MS, formatChallenge, nameAccount, readNonce } from './wallet-challenge.ts'

/** Writes the message that this session's wallet is to sign. A former one for the same wallet ends. */
export async function createChallenge(ctx: Context, actor: Actor, walletAddress: string): Promise<Challenge> {
  const issuedAt = ctx.clock.now()
  const expiresAt = new Date(issuedAt.getTime() + CHALLENGE_LIFETIME_MS)
  const address = getAddress(walletAddress)
  const nonce = randomBytes(16).toString('hex')
  const message = formatChallenge({
    origin: ctx.config.http.publicUrl,
    address,
    chainId: ctx.config.payment.chainId,
    nonce,
    account: nameAccount({ id: actor.accountId, email: actor.email }),
    issuedAt,
    expiresAt,
  })
  const challenge: Challenge = { nonce, sessionIdHash: actor.sessionIdHash, address, message, expiresAt }
  await ctx.db.transaction(async (tx) => {
    if (!(await holdSession(tx, actor.sessionIdHash))) throw sessionEnded()
    await replaceChallenge(tx, challenge, issuedAt)
  })
  return challenge
}

/** Checks the signed message, once and for all, and links the wallet. Returns its checksummed address. */
export async function proveWallet(
  ctx: Context,
  actor: Actor,
  proof: { message: string; signature: string },
): Promise<string> {
  const { message, signature } = proof
  const nonce = readNonce(message)
  // Taken before anything is checked, and for good: a challenge has one answer, right or wrong.
  const challenge = nonce ? await takeChallenge(ctx.db, nonce, actor.sessionIdHash) : undefined
  const address = getAddress(assertAnswers(challenge, message, ctx.clock.now()).address)
  if (!(await verifyWalletSignature(ctx.paymentChain, { address, message, signature }))) {
    throw new Refusal('signature_invalid', 'The signature is not one of this wallet for this message.')
  }
  await linkWallet(ctx, actor, address)
  return address
}

function assertAnswers(challenge: Challenge | undefined, message: string, now: Date): Challenge {
  if (challenge?.message !== message) {
    throw new Refusal(
      'challenge_invalid',
      'This message is not the one to sign, or was used before. Ask for a new one.',
    )
  }
  if (challenge.expiresAt <= now) {
    throw new Refusal('challenge_expired', 'The message was signed too late. Ask for a new one.')
  }
  return challenge
}

async function linkWallet(ctx: Context, actor: Actor, address: Address): Promise<void> {
  const { accountId, sessionIdHash } = actor
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    if (!(await holdSession(tx, sessionIdHash))) throw sessionEnded()
    const isNew = await insertWallet(tx, { address, accountId, linkedAt: at })
    const wallet = await findWallet(tx, address)
    if (wallet?.accountId !== accountId) {
      throw new Refusal('wallet_taken', 'This wallet belongs to another account.')
    }
    await insertProof(tx, { sessionIdHash, address, provedAt: at })
    if (isNew)
      await recordActivity(tx, { accountId, kind: 'wallet_proved', detail: 'Wallet proved', reference: address, at })
    await ctx.wake.notify(tx, 'entitlement', accountId)
  })
}

/** The wallet's account, for its owner and for admins. For anybody else there is no such wallet. */
export async function getWalletUser(ctx: Context, actor: Actor, walletAddress: string) {
  const wallet = await findWallet(ctx.db, getAddress(walletAddress))
  if (!wallet || (wallet.accountId !== actor.accountId && !actor.isAdmin)) {
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

const sessionEnded = () => new Refusal('not_signed_in', 'Sign in first')
