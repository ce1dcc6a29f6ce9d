import { type ComponentType, lazy, useEffect, useState } from 'react'
import { Button } from './button.tsx'

/**
 * A lazily loaded component that is not essential: toasts, sounds, charts. If it cannot be fetched,
 * the page keeps working and offers to reload.
 */
export function lazyLoad<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({
    default: await load().catch((error: unknown): ComponentType<Props> => {
      reportError(error)
      return ReloadOffer
    }),
  }))
}

/**
 * Functions that show the rendered reload offers, one per offer. Only the first offer is shown,
 * because one reload loads all components that could not be loaded.
 */
const reloadOffers: (() => void)[] = []

/** Rendered in place of each component that could not be loaded. */
function ReloadOffer() {
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    const show = () => setIsShown(true)
    if (reloadOffers.push(show) === 1) show()
    return () => {
      reloadOffers.splice(reloadOffers.indexOf(show), 1)
      reloadOffers[0]?.()
    }
  }, [])
  if (!isShown) return null
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

let lastIdleWait: Promise<unknown> = Promise.resolve()

/**
 * Waits for the earlier calls, then until the browser is idle, for at most one second. Each call
 * has its own idle period, because the scripts of several callers in one period would be a long
 * task.
 */
export function waitUntilIdle(): Promise<unknown> {
  lastIdleWait = lastIdleWait.then(waitForNextIdle)
  return lastIdleWait
}

/** In Safari, which has no `requestIdleCallback`, waits for 50 ms. */
function waitForNextIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_TIMEOUT_MS })
    else setTimeout(resolve, 50)
  })
}
