import { LoaderCircle } from 'lucide-react'

/** A centred spinner with a text, for example "Checking authentication...". Fills its parent. */
export function Spinner({ children }: { children: string }) {
  return (
    <div role="status" className="flex min-h-60 flex-1 flex-col items-center justify-center gap-3 text-base text-2">
      <LoaderCircle aria-hidden size={20} strokeWidth={1.8} className="spin text-1" />
      {children}
    </div>
  )
}

/** A `Spinner` that fills the window. */
export function FullPageSpinner({ children }: { children: string }) {
  return (
    <main className="flex min-h-dvh flex-col">
      <h1 className="sr-only">Tocsin</h1>
      <Spinner>{children}</Spinner>
    </main>
  )
}
