import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useRef, useState } from 'react'
import { type Confirmed, NotConfirmed, runConfirmed } from './confirmed.ts'
import { useProviderNews } from './features/account/provider-return.ts'
import { importOrThrow } from './load-page.ts'

const ConfirmationContext = createContext<(() => Promise<void>) | null>(null)

const ConfirmDialog = lazy(async () => ({
  default: (await importOrThrow(() => import('./features/account/confirm-dialog.tsx'))).ConfirmDialog,
}))

interface Question {
  promise: Promise<void>
  resolve: () => void
  reject: (reason: Error) => void
}

/** Can ask the signed-in person, from any page, to confirm who they are. */
export function ConfirmationProvider({ children }: { children: ReactNode }) {
  useProviderNews()
  const [isOpen, setIsOpen] = useState(false)
  const question = useRef<Question | null>(null)

  // Calls that want it at the same time share the one dialog.
  const ask = useCallback(() => {
    question.current ??= createQuestion()
    setIsOpen(true)
    return question.current.promise
  }, [])

  function settle(isConfirmed: boolean) {
    if (isConfirmed) question.current?.resolve()
    else question.current?.reject(new NotConfirmed())
    question.current = null
    setIsOpen(false)
  }

  return (
    <ConfirmationContext value={ask}>
      {children}
      {isOpen && (
        <Suspense>
          <ConfirmDialog onConfirmed={() => settle(true)} onCancel={() => settle(false)} />
        </Suspense>
      )}
    </ConfirmationContext>
  )
}

/**
 * Runs a call that the server may want confirmed: the person is then asked for password, wallet or provider, and the call is made again.
 * Rejects with NotConfirmed when they would not.
 */
export function useConfirmed(): Confirmed {
  const ask = use(ConfirmationContext)
  if (!ask) throw new Error('useConfirmed must be used behind the guard')
  return useCallback((run) => runConfirmed(run, ask), [ask])
}

function createQuestion(): Question {
  let resolve: Question['resolve'] = () => {}
  let reject: Question['reject'] = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
