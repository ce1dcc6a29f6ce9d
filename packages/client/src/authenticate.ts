import type { ClientMessage, ServerMessage } from '@tocsin/protocol'
import { formatSiwe } from '@tocsin/protocol'

/** Resume position of a client. */
export interface Cursor {
  lastIndex?: number
  logId?: string
}

/**
 * Builds the authentication message. Called with null when the socket opens, and with every
 * `challenge` of the server. Returns null if there is nothing to send yet.
 */
export type Authenticate = (
  received: ServerMessage | null,
  cursor: Cursor,
) => Promise<ClientMessage> | ClientMessage | null

/**
 * Authenticates a page by the session cookie of the browser. The wallet must have been proved in
 * this session.
 */
export function bySession(walletAddress: string): Authenticate {
  return (received, cursor) => (received === null ? { type: 'authenticate', walletAddress, ...cursor } : null)
}

/**
 * Authenticates a program by an API key of the scope `stream`. The program opens `/ws?auth=key`,
 * which accepts pages of any origin and sends no challenge.
 */
export function byApiKey(apiKey: string): Authenticate {
  return (received, cursor) => (received === null ? { type: 'auth_key', apiKey, ...cursor } : null)
}

export interface ProgramWallet {
  /** Checksummed (EIP-55). */
  address: string
  /** Signs a text message (EIP-191). */
  signMessage(request: { message: string }): Promise<string>
}

/**
 * Authenticates a program by a wallet. The wallet signs the server's challenge on each connection,
 * and must be linked to an account.
 */
export function byWalletSignature({ address, signMessage }: ProgramWallet): Authenticate {
  return (received, cursor) => {
    if (received?.type !== 'challenge') return null
    const { type: _, ...challenge } = received
    const message = formatSiwe({ ...challenge, address })
    return signMessage({ message }).then((signature) => ({
      type: 'auth',
      walletAddress: address,
      message,
      signature,
      ...cursor,
    }))
  }
}

/** @deprecated Use `byWalletSignature`. */
export function byProgram(wallet: ProgramWallet): Authenticate {
  return byWalletSignature(wallet)
}
