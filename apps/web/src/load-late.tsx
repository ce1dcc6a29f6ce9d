import { type ComponentType, lazy } from 'react'
import { pagesTexts } from './texts/pages.ts'
import { Button } from './ui/button.tsx'

const texts = pagesTexts.reloadOffer

/**
 * A part that is fetched after the page stands: toasts, sounds, drawings. If it can't be fetched the page goes on without it and offers
 * to reload: toasts would otherwise be missing silently.
 */
export function loadLate<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({
    default: await load().catch((error: unknown): ComponentType<Props> => {
      reportError(error)
      if (isOffering) return () => null
      isOffering = true
      return ReloadOffer
    }),
  }))
}

/** One offer is enough for all parts that are missing. */
let isOffering = false

function ReloadOffer() {
  return (
    <div
      role="alert"
      className="fixed inset-x-0 bottom-0 z-50 flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-t border-line-2 bg-ink-2 px-6 py-3 max-lg:bottom-[calc(64px+env(safe-area-inset-bottom))]"
    >
      <p className="text-base">{texts.partIsMissing}</p>
      <Button onClick={() => location.reload()}>{texts.reload}</Button>
    </div>
  )
}

const IDLE_TIMEOUT_MS = 1000

/** Resolves when what is on the screen has been drawn and the browser is idle, or after a second. Safari has no idle callback. */
export function pageIsIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_TIMEOUT_MS })
    else setTimeout(resolve, 50)
  })
}
