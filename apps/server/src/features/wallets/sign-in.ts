import { createHash, randomBytes } from 'node:crypto'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { type ProvedWallet, provedOn, verifyAnswer, type WalletProof, writeChallenge } from './challenge.ts'
import { insertProof, insertSignIn, insertWallet, listWalletsAt, lockWallet, saveChain, takeSignIn } from './store.ts'
import { assertFree, findOpened } from './wallet.ts'
import { readNonce } from './wallet-challenge.ts'

/** What signing in needs of accounts. `Session` is theirs: it is handed through. */
export interface WalletAccounts<Session extends { sessionIdHash: string }> {
  /** A new account without an address. */
  createAccount(tx: Tx, name: string): Promise<string>
  /** Locks the account. */
  startSession(tx: Tx, accountId: string): Promise<Session>
}

export interface SignInChallenge {
  message: string
  expiresAt: Date
  /** For a cookie: only the browser that has it can answer. */
  browser: string
}

/** Writes the message with which a browser that has no session may sign in. */
export async function createSignInChallenge(
  ctx: Context,
  walletAddress: string,
  chainId?: number,
): Promise<SignInChallenge> {
  const challenge = await writeChallenge(ctx, walletAddress, { kind: 'sign-in' }, chainId)
  const browser = randomBytes(32).toString('base64url')
  await insertSignIn(ctx.db, { ...challenge, browserHash: hashBrowser(browser) }, ctx.clock.now())
  return { message: challenge.message, expiresAt: challenge.expiresAt, browser }
}

/** A session of the wallet's account, in which the wallet counts as proved. An unknown wallet makes an account. */
export async function signInWithWallet<Session extends { sessionIdHash: string }>(
  ctx: Context,
  accounts: WalletAccounts<Session>,
  proof: WalletProof,
  browser: string | undefined,
): Promise<Session> {
  const nonce = readNonce(proof.message)
  // Taken before anything is checked, and for good: a challenge has one answer, right or wrong.
  const challenge = nonce && browser ? await takeSignIn(ctx.db, nonce, hashBrowser(browser)) : undefined
  const proved = await verifyAnswer(ctx, challenge, proof)
  const { address, chainId, evidence } = proved
  return ctx.db.transaction(async (tx) => {
    await lockWallet(tx, address)
    const linked = await listWalletsAt(tx, address)
    const opened = findOpened(linked, provedOn(ctx, chainId))
    if (!opened) assertFree(linked, chainId, null)
    if (opened && opened.chainId !== chainId) await saveChain(tx, opened, chainId)
    const accountId = opened?.accountId ?? (await createOwner(ctx, tx, accounts, proved))
    const session = await accounts.startSession(tx, accountId)
    // A password reset may have removed the wallet before the account was locked.
    if (!findOpened(await listWalletsAt(tx, address), provedOn(ctx, chainId))) {
      throw new Refusal('challenge_invalid', 'This wallet was removed from its account just now. Please try again.')
    }
    const { sessionIdHash } = session
    await insertProof(tx, { sessionIdHash, address, chainId, evidence, at: ctx.clock.now() })
    return session
  })
}

async function createOwner(
  ctx: Context,
  tx: Tx,
  accounts: Pick<WalletAccounts<never>, 'createAccount'>,
  { address, chainId }: ProvedWallet,
): Promise<string> {
  const at = ctx.clock.now()
  const accountId = await accounts.createAccount(tx, `${address.slice(0, 6)}…${address.slice(-4)}`)
  await insertWallet(tx, { address, chainId, accountId, linkedAt: at })
  await recordActivity(tx, { accountId, kind: 'wallet_proved', detail: 'Wallet proved', reference: address, at })
  return accountId
}

const hashBrowser = (secret: string) => createHash('sha256').update(secret).digest('hex')
