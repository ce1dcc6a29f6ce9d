import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { sentenceOf } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { FieldError } from '../ui/field.tsx'
import { shortHex } from '../ui/short-hex.ts'
import { Spinner } from '../ui/spinner.tsx'
import { answerChallenge, type WalletStep, type WalletTask } from './answer-challenge.ts'
import { pairing } from './pairing.ts'
import { useWalletEngine } from './use-wallet-engine.ts'
import { useWalletState } from './use-wallet-state.ts'
import { loadedEngine } from './wallet-actions.ts'
import { isCalm, WalletError } from './wallet-error.ts'
import { NotLoaded, NoWallet, WalletList, WalletRow } from './wallet-list.tsx'
import { walletStore } from './wallet-store.ts'

const patienceMs = 120_000
const stopped = () => new WalletError('stopped', 'We stopped waiting for your wallet. Nothing was sent.')
const silent = () =>
  new WalletError('silent', 'Your wallet did not answer. Open it, close the request that waits there, and try again.')

const waitingFor: Record<WalletStep, string> = {
  connecting: 'Choose an account in your wallet.',
  signing: 'Sign the message in your wallet. It is free and sends nothing.',
  checking: 'Checking the signature.',
}

type WalletChallengeProps = {
  task: WalletTask
  /** Under the list while nothing happens: what the signature is for. */
  hint: string
}

/**
 * The wallets to choose from, and what becomes of the one that was asked to sign. Fills a dialog.
 */
export function WalletChallenge({ task, hint }: WalletChallengeProps) {
  useWalletEngine()
  const { wallets, hasFailed, status, address, walletName } = useWalletState()
  const { attempt, step, stop } = useAttempt(task)
  // It has its own way back.
  const isPairing = useSyncExternalStore(pairing.subscribe, pairing.snapshot) !== null
  const pick = (uid: string | null) => attempt.mutate(uid)

  if (hasFailed) return <NotLoaded />
  if (wallets === null) return <Spinner>Looking for wallets...</Spinner>
  if (wallets.length === 0) return <NoWallet />
  const connected = status === 'connected' && address !== null && !task.refuse?.(address) ? address : null
  return (
    <>
      {connected !== null && (
        <div className="mb-4">
          <WalletRow
            name={`Continue with ${shortHex(connected)}`}
            icon={wallets.find(({ name }) => name === walletName)?.icon ?? null}
            disabled={attempt.isPending}
            onClick={() => pick(null)}
          />
          <p className="mt-4 text-hint text-2">Or connect another account</p>
        </div>
      )}
      <WalletList
        wallets={wallets}
        isWaiting={attempt.isPending}
        waitingFor={attempt.isPending ? attempt.variables : null}
        onPick={pick}
      />
      {/* Always there, so that the dialog keeps its height. */}
      <div className="mt-4 flex min-h-11 items-center gap-3 text-base text-2">
        {attempt.isPending ? (
          <>
            <p role="status" className="flex-1">
              {waitingFor[step]}
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
  const sentence = error instanceof WalletError ? error.message : sentenceOf(error, 'The signature was not accepted.')
  return isCalm(error) ? <p role="status">{sentence}</p> : <FieldError>{sentence}</FieldError>
}

/**
 * One try at a time. A wallet that hangs is given up by the person, after two minutes, or when the
 * dialog closes.
 */
function useAttempt(task: WalletTask) {
  const [step, setStep] = useState<WalletStep>('connecting')
  const running = useRef<AbortController | null>(null)
  const stop = useCallback(() => {
    running.current?.abort(stopped())
    pairing.cancel()
  }, [])
  useEffect(() => stop, [stop])

  const attempt = useMutation({
    mutationFn: async (uid: string | null) => {
      const controller = new AbortController()
      running.current = controller
      const timer = setTimeout(() => controller.abort(silent()), patienceMs)
      try {
        const { signal } = controller
        const engine = await loadedEngine()
        await answerChallenge(task, { engine, store: walletStore, uid, signal, onStep: setStep })
      } finally {
        clearTimeout(timer)
      }
    },
  })
  return { attempt, step, stop }
}
