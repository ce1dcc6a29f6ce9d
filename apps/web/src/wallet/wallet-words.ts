import { WalletError, type WalletErrorKind } from './wallet-error.ts'

const maxLength = 120

/** Errors that this site found itself; what they hold was not said by the wallet. */
const ownKinds: readonly WalletErrorKind[] = ['unusable', 'silent', 'no_accounts']

/**
 * What the wallet itself said, its first line and no more than a toast can hold; null when it said
 * nothing.
 */
export function walletWords(error: unknown): string | null {
  if (!(error instanceof WalletError) || ownKinds.includes(error.kind)) return null
  const [line = ''] = error.technical.trim().split(/\r?\n/)
  if (line === '') return null
  const characters = [...line]
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : line
}
