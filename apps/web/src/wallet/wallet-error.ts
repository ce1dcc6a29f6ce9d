/** What went wrong in a wallet, told apart by what the person can do about it. */
export type WalletErrorKind =
  | 'rejected'
  | 'stopped'
  | 'silent'
  | 'unauthorized'
  | 'unsupported'
  | 'offline'
  | 'already_open'
  | 'no_accounts'
  /** The wallet's answer does not have the shape that its standard promises. */
  | 'unusable'
  | 'wrong_chain'
  | 'chain_not_added'
  | 'insufficient_gas'
  | 'reverted'
  | 'other'

/**
 * `message` is a sentence to show; `technical` the wallet's own words, for whoever has to look
 * deeper.
 */
export class WalletError extends Error {
  readonly kind: WalletErrorKind
  readonly technical: string

  constructor(kind: WalletErrorKind, message: string, technical = '') {
    super(message)
    this.name = 'WalletError'
    this.kind = kind
    this.technical = technical
  }
}

/**
 * A refusal in the wallet is a decision, not a failure: where it is shown beside its button it is
 * not red.
 */
export function isRejection(error: unknown): boolean {
  return error instanceof WalletError && error.kind === 'rejected'
}

/** Neither is waiting that the person ended. */
export function isCalm(error: unknown): boolean {
  return isRejection(error) || (error instanceof WalletError && error.kind === 'stopped')
}
