import { WalletError, type WalletErrorKind } from '../../wallet/wallet-error.ts'

/** Errors that prove that the wallet sent no transaction. */
const unsentErrorKinds: readonly WalletErrorKind[] = [
  'not_sent',
  'rejected',
  'stopped',
  'unauthorized',
  'unsupported',
  'wrong_chain',
  'insufficient_gas',
  'reverted',
]

/**
 * True if the wallet may have sent the transaction although its request failed: it returned no
 * hash, lost its connection, or gave an unknown error.
 */
export function mayHaveSent(error: unknown): boolean {
  return !(error instanceof WalletError && unsentErrorKinds.includes(error.kind))
}
