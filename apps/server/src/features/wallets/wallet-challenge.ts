import { formatSiwe } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/** Time limit for signing a message. */
export const CHALLENGE_LIFETIME_MS = 10 * MINUTE_MS

/**
 * The purpose of the signature. The statement differs for each purpose, so a signature cannot be
 * reused for another purpose.
 */
export type ChallengePurpose = { kind: 'link' | 'confirm'; account: string } | { kind: 'sign-in' }

export interface WalletChallenge {
  /** Origin of the site, without a trailing slash. */
  origin: string
  /** Checksummed (EIP-55). */
  address: string
  chainId: number
  /** At least eight letters and digits. */
  nonce: string
  /** `account` is an email address or an account id. */
  purpose: ChallengePurpose
  issuedAt: Date
  expiresAt: Date
}

/**
 * Formats the Sign-In with Ethereum message (EIP-4361, version 1). The message names its purpose
 * and account, so that a signature obtained for another account cannot be used.
 */
export function formatChallenge(challenge: WalletChallenge): string {
  const { origin, address, chainId, nonce, purpose, issuedAt, expiresAt } = challenge
  return formatSiwe({
    domain: new URL(origin).host,
    address,
    statement: formatStatement(purpose),
    uri: origin,
    chainId,
    nonce,
    issuedAt: issuedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  })
}

function formatStatement(purpose: ChallengePurpose): string {
  if (purpose.kind === 'sign-in') return 'Sign in to Tocsin with this wallet. This costs nothing.'
  return purpose.kind === 'link'
    ? `Prove to Tocsin that this wallet is yours. It will be linked to the account ${purpose.account}. This costs nothing.`
    : `Confirm to Tocsin that it is you who uses the account ${purpose.account}. This costs nothing.`
}

/**
 * Extracts the nonce, with which the stored challenge is looked up. The rest of the message is not
 * trusted.
 */
export function readNonce(message: string): string | null {
  return /^Nonce: ([A-Za-z0-9]{8,64})$/m.exec(message)?.[1] ?? null
}

/** Characters allowed in a statement (EIP-4361 ABNF). Wallets reject or garble other characters. */
const STATEMENT_TEXT = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+$/

/**
 * Returns the name of the account in the statement: its email address if all characters of the
 * address are allowed, otherwise its id.
 */
export function nameAccount(account: { id: string; email: string | null }): string {
  return account.email !== null && STATEMENT_TEXT.test(account.email) ? account.email : account.id
}
