import { WalletError, type WalletErrorKind } from './wallet-error.ts'

const maxLength = 120

/** Errors that this site detects itself. Their technical text is not from the wallet. */
const ownKinds: readonly WalletErrorKind[] = ['invalid_response', 'timeout', 'no_accounts']

/**
 * The first line of the wallet's own error message, shortened for a toast. Null if the error has no
 * message.
 */
export function walletMessage(error: unknown): string | null {
  if (!(error instanceof WalletError) || ownKinds.includes(error.kind)) return null
  const [line = ''] = error.technical.trim().split(/\r?\n/)
  if (line === '') return null
  const characters = [...line]
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line
}
