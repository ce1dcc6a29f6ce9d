import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from 'react'
import { importOrThrow } from '../../browser/load-page.ts'
import { ConfirmationContext, NotConfirmed } from '../../session/confirmed.ts'
import { useProviderToasts } from './provider-return.ts'

const ConfirmDialog = lazy(async () => ({
  default: (await importOrThrow(() => import('./confirm-dialog.tsx'))).ConfirmDialog,
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

function createPrompt(): Prompt {
  let resolve: Prompt['resolve'] = () => {}
  let reject: Prompt['reject'] = () => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
