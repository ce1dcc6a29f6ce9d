import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { getErrorMessage } from '../api/api.ts'
import { Button } from '../ui/button.tsx'
import { FieldError } from '../ui/field.tsx'
import { shortenHex } from '../ui/short-hex.ts'
import { Spinner } from '../ui/spinner.tsx'
import { answerChallenge, type WalletStep, type WalletTask } from './answer-challenge.ts'
import { findOnlyWallet } from './only-wallet.ts'
import { pairing } from './pairing.ts'
import { useWalletEngine } from './use-wallet-engine.ts'
import { useWalletState } from './use-wallet-state.ts'
import { getEngine } from './wallet-actions.ts'
import { isUserDecision, WalletError } from './wallet-error.ts'
import { NoWallet, WalletList, WalletLoadError, WalletRow } from './wallet-list.tsx'
import { walletStore } from './wallet-store.ts'

const timeoutMs = 120_000
const createStoppedError = () => new WalletError('stopped', 'We stopped waiting for your wallet. Nothing was sent.')
const createTimeoutError = () =>
  new WalletError('timeout', 'Your wallet did not respond. Open it, close the pending request and try again.')

const stepMessages: Record<WalletStep, string> = {
  connecting: 'Choose an account in your wallet.',
  signing: 'Sign the message in your wallet. Signing is free and sends no transaction.',
  checking: 'Checking the signature.',
}

type WalletChallengeProps = {
  task: WalletTask
  /** Explains the signature. Shown below the list while no request is pending. */
  hint: string
  /** If the browser has only one wallet, asks that wallet immediately instead of listing it. */
  isDirect?: boolean
}

/** Dialog content: lets the user choose a wallet, asks it to sign and shows the progress. */
export function WalletChallenge({ task, hint, isDirect = false }: WalletChallengeProps) {
  useWalletEngine()
  const { wallets, hasFailed, status, address, walletName } = useWalletState()
  const { attempt, step, stop } = useAttempt(task)
  // The pairing panel has its own cancel button.
  const isPairing = useSyncExternalStore(pairing.subscribe, pairing.snapshot) !== null
  const { isIdle, mutate: startAttempt } = attempt
  const onlyWalletId = isDirect ? findOnlyWallet({ wallets, status }) : null
  useEffect(() => {
    if (onlyWalletId !== null && isIdle) startAttempt(onlyWalletId)
  }, [onlyWalletId, isIdle, startAttempt])

  if (hasFailed) return <WalletLoadError />
  if (wallets === null) return <Spinner>Looking for wallets...</Spinner>
  if (wallets.length === 0) return <NoWallet />
  const connectedAddress = status === 'connected' && address !== null && !task.checkAddress?.(address) ? address : null
  return (
    <>
      {connectedAddress !== null && (
        <div className="mb-4">
          <WalletRow
            name={`Continue with ${shortenHex(connectedAddress)}`}
            icon={wallets.find(({ name }) => name === walletName)?.icon ?? null}
            disabled={attempt.isPending}
            onClick={() => startAttempt(null)}
          />
          <p className="mt-4 text-hint text-2">Or connect another account</p>
        </div>
      )}
      <WalletList
        wallets={wallets}
        isWaiting={attempt.isPending}
        waitingFor={attempt.isPending ? attempt.variables : null}
        onPick={startAttempt}
      />
      {/* Always rendered, so that the dialog keeps its height. */}
      <div className="mt-4 flex min-h-11 items-center gap-3 text-base text-2">
        {attempt.isPending ? (
          <>
            <p role="status" className="flex-1">
              {stepMessages[step]}
            </p>
            {step !== 'checking' && !isPairing && <Button onClick={stop}>Stop waiting</Button>}
          </>
        ) : (
          <Result error={attempt.error} hint={hint} />
        )}
      </div>
    </>
  )
}

function Result({ error, hint }: { error: Error | null; hint: string }) {
  if (error === null) return <p>{hint}</p>
  const message =
    error instanceof WalletError ? error.message : getErrorMessage(error, 'The signature was not accepted.')
  return isUserDecision(error) ? <p role="status">{message}</p> : <FieldError>{message}</FieldError>
}

/**
 * Runs one attempt at a time. An attempt ends when the user stops it, after two minutes, or when
 * the component unmounts.
 */
function useAttempt(task: WalletTask) {
  const [step, setStep] = useState<WalletStep>('connecting')
  const runningController = useRef<AbortController | null>(null)
  const stop = useCallback(() => runningController.current?.abort(createStoppedError()), [])
  useEffect(() => stop, [stop])

  const attempt = useMutation({
    mutationFn: async (uid: string | null) => {
      const controller = new AbortController()
      controller.signal.addEventListener('abort', pairing.cancel)
      runningController.current = controller
      const timer = setTimeout(() => controller.abort(createTimeoutError()), timeoutMs)
      try {
        const { signal } = controller
        const engine = await getEngine()
        await answerChallenge(task, { engine, store: walletStore, uid, signal, onStep: setStep })
      } finally {
        clearTimeout(timer)
      }
    },
  })
  return { attempt, step, stop }
}
