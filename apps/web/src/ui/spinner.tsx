import { LoaderCircle } from 'lucide-react'

/** Fills its parent with a centred spinner and its words, for example "Checking authentication...". */
export function Spinner({ children }: { children: string }) {
  return (
    <div role="status" className="flex min-h-60 flex-1 flex-col items-center justify-center gap-3 text-base text-2">
      <LoaderCircle aria-hidden size={20} strokeWidth={1.8} className="spin text-1" />
      {children}
    </div>
  )
}

/** The same for a whole window. */
export function FullPageSpinner({ children }: { children: string }) {
  return (
    <main className="flex min-h-dvh flex-col">
      <h1 className="sr-only">Tocsin</h1>
      <Spinner>{children}</Spinner>
    </main>
  )
}
