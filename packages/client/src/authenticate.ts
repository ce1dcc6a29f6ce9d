import type { ClientMessage, ServerMessage } from '@tocsin/protocol'
import { formatSiwe } from '@tocsin/protocol'

/** Where the client left off. */
export interface Cursor {
  lastIndex?: number
  logId?: string
}

/**
 * How a client says who it is: what it sends when the server has spoken, `null` for the open socket itself. Null when there is nothing to say yet.
 */
export type Authenticate = (
  heard: ServerMessage | null,
  cursor: Cursor,
) => Promise<ClientMessage> | ClientMessage | null

/** A page: the wallet must be proved by the session whose cookie the browser sends. */
export function bySession(walletAddress: string): Authenticate {
  return (heard, cursor) => (heard === null ? { type: 'authenticate', walletAddress, ...cursor } : null)
}

export interface ProgramWallet {
  /** Checksummed (EIP-55), as wallets write it. */
  address: string
  /** Signs a text as wallets do (EIP-191). */
  signMessage(request: { message: string }): Promise<string>
}

/** A program without a browser: it signs the server's challenge each time it connects. The wallet must be linked to an account. */
export function byProgram({ address, signMessage }: ProgramWallet): Authenticate {
  return (heard, cursor) => {
    if (heard?.type !== 'challenge') return null
    const { type: _, ...challenge } = heard
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
