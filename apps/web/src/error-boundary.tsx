import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Component, type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { LoadError } from './load-page.ts'
import { pagesTexts } from './texts/pages.ts'
import { Button } from './ui/button.tsx'

const texts = pagesTexts.reloadOffer

interface FailureProps {
  error: unknown
  /** Draws the failed part again; null where only a new start of the page can help. */
  onRetry: (() => void) | null
}

/** Needed by few, so no page carries it; where it can't be fetched either, a reload is what helps. */
const ErrorScreen = lazy(
  async (): Promise<{ default: ComponentType<FailureProps> }> => ({
    default: await import('./error-screen.tsx').then((module) => module.ErrorScreen).catch(() => ReloadOffer),
  }),
)

function Failure({ error, onRetry }: FailureProps) {
  if (error instanceof LoadError) return <ReloadOffer />
  return (
    <Suspense>
      <ErrorScreen error={error} onRetry={onRetry} />
    </Suspense>
  )
}

function ReloadOffer() {
  return (
    <main className="grid min-h-[70dvh] place-content-center justify-items-center gap-6 p-6 text-center">
      <div role="alert" className="grid max-w-100 gap-2">
        <h1 className="text-h2">{texts.pageCouldNotBeLoaded}</h1>
        <p className="text-body text-2">{texts.newVersionOrConnection}</p>
      </div>
      <Button size="lg" variant="primary" onClick={() => location.reload()}>
        {texts.reload}
      </Button>
    </main>
  )
}

/** What the router shows in place of a route that failed. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return <Failure error={error} onRetry={retry} />
}

/** Catches what fails outside the router: there is nothing left to draw the page with, so it has to start anew. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failure: FailureProps | null }> {
  override state: { failure: FailureProps | null } = { failure: null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error, onRetry: null } }
  }

  override render(): ReactNode {
    const { failure } = this.state
    return failure === null ? this.props.children : <Failure {...failure} />
  }
}
