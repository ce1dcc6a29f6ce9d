import { WalletError, type WalletErrorKind } from './wallet-error.ts'

const maxLength = 120

/** Errors that this site detects itself. Their technical text is not from the wallet. */
const ownMessageKinds: readonly WalletErrorKind[] = ['invalid_response', 'timeout', 'no_accounts']

/**
 * The first line of the wallet's own error message, shortened for a toast. Null if the error has no
 * message.
 */
export function formatWalletMessage(error: unknown): string | null {
  if (!(error instanceof WalletError) || ownMessageKinds.includes(error.kind)) return null
  const [firstLine = ''] = error.technical.trim().split(/\r?\n/)
  if (firstLine === '') return null
  const characters = [...firstLine]
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : firstLine
}
