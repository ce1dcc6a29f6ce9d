import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { insertAccount, lockAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import { recordAccountCreated } from '../sessions/service.ts'
import { type SignedIn, startSession } from '../sessions/start-session.ts'
import {
  createChallengeMessage,
  createProofChains,
  type ProvedWallet,
  verifyChallengeResponse,
  type WalletProof,
} from './challenge.ts'
import {
  consumeSignIn,
  insertProof,
  insertSignIn,
  insertWallet,
  listWalletsAt,
  lockWallet,
  saveChain,
} from './store.ts'
import { assertLinkable, findMatchingWallet } from './wallet.ts'
import { readNonce } from './wallet-challenge.ts'

export interface SignInChallenge {
  message: string
  expiresAt: Date
  /**
   * Secret of the browser's cookie. Only the browser that has the cookie can answer the challenge.
   */
  browser: string
}

/** Creates a sign-in challenge for a browser without a session. */
export async function createSignInChallenge(
  ctx: Context,
  walletAddress: string,
  chainId?: number,
): Promise<SignInChallenge> {
  const challenge = await createChallengeMessage(ctx, walletAddress, { kind: 'sign-in' }, chainId)
  const browser = createSecret()
  await insertSignIn(ctx.db, { ...challenge, browserHash: hashSecret(browser) }, ctx.clock.now())
  return { message: challenge.message, expiresAt: challenge.expiresAt, browser }
}

/**
 * Signs in with a wallet, which counts as proved in the new session. An unknown wallet creates an
 * account.
 */
export async function signInWithWallet(
  ctx: Context,
  proof: WalletProof,
  secret: string | undefined,
  { browser, rememberMe }: { browser: Browser; rememberMe: boolean },
): Promise<SignedIn> {
  const nonce = readNonce(proof.message)
  // The challenge is deleted before anything is checked, so that it can be used only once, even if
  // the signature is invalid.
  const challenge = nonce && secret ? await consumeSignIn(ctx.db, nonce, hashSecret(secret)) : undefined
  const provedWallet = await verifyChallengeResponse(ctx, challenge, proof)
  const { address, chainId, evidence } = provedWallet
  return ctx.db.transaction(async (tx) => {
    await lockWallet(tx, address)
    const linkedWallets = await listWalletsAt(tx, address)
    const matchingWallet = findMatchingWallet(linkedWallets, createProofChains(ctx, chainId))
    if (!matchingWallet) assertLinkable(linkedWallets, chainId, null)
    const accountId = matchingWallet?.accountId ?? (await createOwner(ctx, tx, provedWallet))
    const account = await lockAccount(tx, accountId)
    if (!account) throw new Refusal('not_signed_in', 'This account was deleted just now.')
    const session = await startSession(ctx, tx, account, browser, { way: 'wallet', rememberMe })
    // A password reset may have removed the wallet before the account was locked.
    if (!findMatchingWallet(await listWalletsAt(tx, address), createProofChains(ctx, chainId))) {
      throw new Refusal('challenge_invalid', 'This wallet was removed from its account just now. Please try again.')
    }
    if (matchingWallet && matchingWallet.chainId !== chainId) await saveChain(tx, matchingWallet, chainId)
    const { sessionIdHash } = session
    await insertProof(tx, { sessionIdHash, address, chainId, evidence, signedIn: true, at: ctx.clock.now() })
    return session
  })
}

/** Creates an account without an email address. */
async function createOwner(ctx: Context, tx: Tx, { address, chainId }: ProvedWallet): Promise<string> {
  const at = ctx.clock.now()
  const name = `${address.slice(0, 6)}…${address.slice(-4)}`
  const account = await insertAccount(tx, { name, role: 'user', createdAt: at })
  if (!account) throw new Error('The insert conflicted although the account has no email address')
  const accountId = account.id
  await recordAccountCreated(tx, accountId, at)
  await insertWallet(tx, { address, chainId, accountId, linkedAt: at })
  await recordActivity(tx, { accountId, kind: 'wallet_proved', detail: 'Wallet verified', reference: address, at })
  return accountId
}
