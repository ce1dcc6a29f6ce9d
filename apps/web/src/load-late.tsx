import { type ComponentType, lazy } from 'react'

/**
 * A part that is fetched after the page stands and that the page can do without: when it can't be fetched it is left out, where an error would take the
 * whole page with it.
 */
export function loadLate<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({ default: await load().catch((): ComponentType<Props> => () => null) }))
}

const IDLE_TIMEOUT_MS = 1000

/** Comes true when what is on the screen has been drawn and the browser has a moment, or after a second: in Safari, which does not tell, soon. */
export function pageIsIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(resolve, { timeout: IDLE_TIMEOUT_MS })
    else setTimeout(resolve, 50)
  })
}
