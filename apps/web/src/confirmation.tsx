import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useRef, useState } from 'react'
import { type Confirmed, NotConfirmed, runConfirmed } from './confirmed.ts'
import { useProviderToasts } from './features/account/provider-return.ts'
import { importOrThrow } from './load-page.ts'

const ConfirmationContext = createContext<(() => Promise<void>) | null>(null)

const ConfirmDialog = lazy(async () => ({
  default: (await importOrThrow(() => import('./features/account/confirm-dialog.tsx'))).ConfirmDialog,
}))

interface Prompt {
  promise: Promise<void>
  resolve: () => void
  reject: (reason: Error) => void
}

/** Provides the reauthentication dialog to all signed-in pages. */
export function ConfirmationProvider({ children }: { children: ReactNode }) {
  useProviderToasts()
  const [isOpen, setIsOpen] = useState(false)
  const prompt = useRef<Prompt | null>(null)

  // Concurrent calls share one dialog.
  const ask = useCallback(() => {
    prompt.current ??= createPrompt()
    setIsOpen(true)
    return prompt.current.promise
  }, [])

  function close(isConfirmed: boolean) {
    if (isConfirmed) prompt.current?.resolve()
    else prompt.current?.reject(new NotConfirmed())
    prompt.current = null
    setIsOpen(false)
  }

  return (
    <ConfirmationContext value={ask}>
      {children}
      {isOpen && (
        <Suspense>
          <ConfirmDialog onConfirmed={() => close(true)} onCancel={() => close(false)} />
        </Suspense>
      )}
    </ConfirmationContext>
  )
}

/**
 * Returns a function that runs a call. If the server requires reauthentication, the user is
 * prompted for password, wallet or provider and the call is retried. Rejects with NotConfirmed if
 * the user declines.
 */
export function useConfirmed(): Confirmed {
  const ask = use(ConfirmationContext)
  if (!ask) throw new Error('useConfirmed must be used behind the guard')
  return useCallback((run) => runConfirmed(run, ask), [ask])
}

function createPrompt(): Prompt {
  let resolve: Prompt['resolve'] = () => {}
  let reject: Prompt['reject'] = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
