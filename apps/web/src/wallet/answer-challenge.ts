import { shortHex } from '../ui/short-hex.ts'
import { WalletError } from './wallet-error.ts'
import type { WalletEngine, WalletStore } from './wallet-store.ts'

/** A message of the server that a wallet is to sign (EIP-4361), and where the signature goes. */
export interface WalletTask {
  /** Why this account of the wallet will not do, as a sentence; null when it will. */
  refuse?: (address: string) => string | null
  /** `chainId` of the network that the wallet is on, null if unknown. */
  challenge: (walletAddress: string, chainId: number | null) => Promise<{ message: string }>
  answer: (signed: { message: string; signature: string }) => Promise<void>
}

export type WalletStep = 'connecting' | 'signing' | 'checking'

interface Attempt {
  engine: Pick<WalletEngine, 'connect' | 'sign'>
  store: Pick<WalletStore, 'snapshot'>
  /** The wallet to connect; null for the one that is connected. */
  uid: string | null
  signal: AbortSignal
  onStep: (step: WalletStep) => void
}

/**
 * Connects a wallet, has it sign, and hands the signature over. A wallet that hangs is left alone
 * once the signal fires.
 * @throws WalletError for the wallet, ApiError for the server
 */
export async function answerChallenge(task: WalletTask, { engine, store, uid, signal, onStep }: Attempt) {
  onStep('connecting')
  const address = uid === null ? store.snapshot().address : await orAborted(engine.connect(uid), signal)
  if (address === null) throw new WalletError('unauthorized', 'Wallet not connected')
  const reason = task.refuse?.(address) ?? null
  if (reason !== null) throw new WalletError('unauthorized', reason)

  onStep('signing')
  const { message } = await task.challenge(address, store.snapshot().chainId)
  const signature = await orAborted(engine.sign(message), signal)
  const now = store.snapshot().address
  if (now?.toLowerCase() !== address.toLowerCase()) throw otherAccount(address, now)

  onStep('checking')
  await task.answer({ message, signature })
}

function otherAccount(address: string, now: string | null): WalletError {
  const shown = now === null ? 'no account any more' : shortHex(now)
  return new WalletError(
    'unauthorized',
    `The message was for ${shortHex(address)}, but your wallet shows ${shown}. Try again with the account that you want.`,
  )
}

/**
 * The work, unless the signal fires first: then its reason is thrown and whatever comes late is
 * ignored.
 */
function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject)
  })
}
