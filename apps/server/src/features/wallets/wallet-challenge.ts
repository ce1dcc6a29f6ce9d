import { formatSiwe } from '@tocsin/protocol'

/** How long a message may be answered. */
export const CHALLENGE_LIFETIME_MS = 10 * 60_000

/** What a signature is for. Each says something else, and serves for nothing else. */
export type ChallengePurpose = { kind: 'link' | 'confirm'; account: string } | { kind: 'sign-in' }

export interface WalletChallenge {
  /** Origin that the wallet is asked from, without a trailing slash. */
  origin: string
  /** Checksummed (EIP-55). */
  address: string
  chainId: number
  /** At least eight letters and digits. */
  nonce: string
  /** `account` is an e-mail address or an account id. */
  purpose: ChallengePurpose
  issuedAt: Date
  expiresAt: Date
}

/**
 * The message of Sign-In with Ethereum (EIP-4361), version 1, to the byte. It says what it is for and which account it serves, so that a
 * signature given to somebody else cannot be used here.
 */
export function formatChallenge(challenge: WalletChallenge): string {
  const { origin, address, chainId, nonce, purpose, issuedAt, expiresAt } = challenge
  return formatSiwe({
    domain: new URL(origin).host,
    address,
    statement: statementOf(purpose),
    uri: origin,
    chainId,
    nonce,
    issuedAt: issuedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  })
}

const SIGN_IN_STATEMENT = 'Sign in to Tocsin with this wallet. This costs nothing.'

/** Whether the message, one of ours, was written to sign in with. */
export function isSignIn(message: string): boolean {
  return message.split('\n')[3] === SIGN_IN_STATEMENT
}

function statementOf(purpose: ChallengePurpose): string {
  if (purpose.kind === 'sign-in') return SIGN_IN_STATEMENT
  return purpose.kind === 'link'
    ? `Prove to Tocsin that this wallet is yours. It will be linked to the account ${purpose.account}. This costs nothing.`
    : `Confirm to Tocsin that it is you who uses the account ${purpose.account}. This costs nothing.`
}

/** The nonce that a message names, by which what we wrote is found. Nothing else of the message is believed. */
export function readNonce(message: string): string | null {
  return /^Nonce: ([A-Za-z0-9]{8,64})$/m.exec(message)?.[1] ?? null
}

/** The characters that a statement may have (EIP-4361, ABNF): wallets refuse or garble others. */
const STATEMENT_TEXT = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+$/

/** The account as the statement may name it: by its address where that can be written. */
export function nameAccount(account: { id: string; email: string | null }): string {
  return account.email !== null && STATEMENT_TEXT.test(account.email) ? account.email : account.id
}
