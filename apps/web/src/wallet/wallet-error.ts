/** Kinds of wallet errors, distinguished by what the user can do about them. */
export type WalletErrorKind =
  | 'rejected'
  | 'stopped'
  /** The request failed before the wallet was asked to send the transaction. */
  | 'not_sent'
  | 'timeout'
  | 'unauthorized'
  | 'unsupported'
  | 'offline'
  | 'already_open'
  | 'no_accounts'
  /** The wallet's response violates the standard of the method that was called. */
  | 'invalid_response'
  | 'wrong_chain'
  | 'chain_not_added'
  | 'insufficient_gas'
  | 'reverted'
  | 'other'

/** `message` is for the user. `technical` is the wallet's own message, for troubleshooting. */
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

/** True if the user rejected the request in the wallet. Do not show it as a failure. */
export function isRejection(error: unknown): boolean {
  return error instanceof WalletError && error.kind === 'rejected'
}

/** True if the user rejected the request or stopped waiting. Do not show it as a failure. */
export function isUserDecision(error: unknown): boolean {
  return isRejection(error) || (error instanceof WalletError && error.kind === 'stopped')
}
