import { type ComponentType, lazy } from 'react'
import { Button } from './button.tsx'

/**
 * A lazily loaded component that is not essential: toasts, sounds, charts. If it cannot be fetched,
 * the page keeps working and offers to reload.
 */
export function lazyLoad<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({
    default: await load().catch((error: unknown): ComponentType<Props> => {
      reportError(error)
      if (isReloadOffered) return () => null
      isReloadOffered = true
      return ReloadOffer
    }),
  }))
}

/**
 * True after the offer to reload was shown. One offer covers all components that could not be
 * loaded.
 */
let isReloadOffered = false

function ReloadOffer() {
  return (
    <div
      role="alert"
      className="fixed inset-x-0 bottom-0 z-50 flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-t border-line-2 bg-ink-2 px-6 py-3 max-lg:bottom-[calc(64px+env(safe-area-inset-bottom))]"
    >
      <p className="text-base">Part of this page could not be loaded.</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  )
}

const IDLE_TIMEOUT_MS = 1000

let lastTurn: Promise<unknown> = Promise.resolve()

/**
 * Resolves when the browser is idle, or after one second. Calls resolve one after the other: the
 * scripts of all callers in a single idle period would be a long task.
 */
export function untilIdle(): Promise<unknown> {
  lastTurn = lastTurn.then(nextIdle)
  return lastTurn
}

/** Safari does not support `requestIdleCallback`. */
function nextIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_TIMEOUT_MS })
    else setTimeout(resolve, 50)
  })
}
