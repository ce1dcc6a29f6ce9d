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
  return [
    `${new URL(origin).host} wants you to sign in with your Ethereum account:`,
    address,
    '',
    statementOf(purpose),
    '',
    `URI: ${origin}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n')
}

function statementOf(purpose: ChallengePurpose): string {
  if (purpose.kind === 'sign-in') return 'Sign in to Tocsin with this wallet. This costs nothing.'
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
