import { shortenHex } from '../ui/short-hex.ts'
import { WalletError } from './wallet-error.ts'
import type { WalletEngine, WalletStore } from './wallet-store.ts'

/** Fetches the message that the wallet has to sign (EIP-4361), and submits the signature. */
export interface WalletTask {
  /** Returns the reason why this account can't be used, or null. */
  checkAddress?: (address: string) => string | null
  /** @param chainId the current chain of the wallet; null if unknown */
  challenge: (walletAddress: string, chainId: number | null) => Promise<{ message: string }>
  answer: (signedChallenge: { message: string; signature: string }) => Promise<void>
}

export type WalletStep = 'connecting' | 'signing' | 'checking'

interface Attempt {
  engine: Pick<WalletEngine, 'connect' | 'sign'>
  store: Pick<WalletStore, 'snapshot'>
  /** The wallet to connect; null to use the connected one. */
  uid: string | null
  signal: AbortSignal
  onStep: (step: WalletStep) => void
}

/**
 * Connects a wallet, asks it to sign the challenge and submits the signature. Aborting the signal
 * stops waiting for the wallet.
 * @throws WalletError if the wallet fails, ApiError if the server does
 */
export async function answerChallenge(task: WalletTask, { engine, store, uid, signal, onStep }: Attempt) {
  onStep('connecting')
  const address = uid === null ? store.snapshot().address : await rejectOnAbort(engine.connect(uid), signal)
  if (address === null) throw new WalletError('unauthorized', 'Wallet not connected')
  const reason = task.checkAddress?.(address) ?? null
  if (reason !== null) throw new WalletError('unauthorized', reason)

  onStep('signing')
  // If the attempt is stopped while the message is fetched, this line throws. So a stopped attempt
  // never opens a request in the wallet.
  const { message } = await rejectOnAbort(task.challenge(address, store.snapshot().chainId), signal)
  const signature = await rejectOnAbort(engine.sign(message, signal), signal)
  const currentAddress = store.snapshot().address
  if (currentAddress?.toLowerCase() !== address.toLowerCase()) throw createAccountChangedError(address, currentAddress)

  onStep('checking')
  await task.answer({ message, signature })
}

function createAccountChangedError(address: string, currentAddress: string | null): WalletError {
  const shownAccount = currentAddress === null ? 'no account' : shortenHex(currentAddress)
  return new WalletError(
    'unauthorized',
    `The message was for ${shortenHex(address)}, but your wallet shows ${shownAccount}. Try again with the account that you want.`,
  )
}

/** Rejects with the signal's reason if it is aborted before `work` settles. */
function rejectOnAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject)
  })
}
