import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Component, type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { LoadError } from '../browser/load-page.ts'
import { useOnline } from '../browser/use-online.ts'
import { Button } from '../ui/button.tsx'
import type { ErrorScreenProps } from './error-screen.tsx'

/** Loaded on demand. If it cannot be fetched, a reload is offered instead. */
const ErrorScreen = lazy(
  async (): Promise<{ default: ComponentType<ErrorScreenProps> }> => ({
    default: await import('./error-screen.tsx').then((module) => module.ErrorScreen).catch(() => ReloadOffer),
  }),
)

function Failure({ error, onRetry }: ErrorScreenProps) {
  if (error instanceof LoadError) return <ReloadOffer />
  return (
    <Suspense>
      <ErrorScreen error={error} onRetry={onRetry} />
    </Suspense>
  )
}

function ReloadOffer() {
  const isOnline = useOnline()
  return (
    <main className="grid min-h-[70dvh] place-content-center justify-items-center gap-6 p-6 text-center">
      <div role="alert" className="grid max-w-100 gap-2">
        <h1 className="text-h2">{isOnline ? 'This page could not be loaded' : 'You are offline'}</h1>
        <p className="text-body text-2">
          {isOnline
            ? 'A new version of Tocsin was released while this page was open, or the connection was lost.'
            : 'This page is not stored in this browser. Reload it when you are online again.'}
        </p>
      </div>
      <Button size="lg" variant="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </main>
  )
}

/** Shown by the router in place of a route that failed. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return <Failure error={error} onRetry={retry} />
}

/** Catches errors outside the router. Only a reload can recover from them. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failure: ErrorScreenProps | null }> {
  override state: { failure: ErrorScreenProps | null } = { failure: null }

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error, onRetry: null } }
  }

  override render(): ReactNode {
    const { failure } = this.state
    return failure === null ? this.props.children : <Failure {...failure} />
  }
}
