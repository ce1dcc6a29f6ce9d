import { untilIdle } from '../../ui/lazy-load.tsx'

/**
 * Resolves when the browser is idle, or immediately if the page is scrolled. For parts below the
 * first screen. While a page starts, the browser is not idle for seconds. If a reload restores the
 * scroll position, these parts would leave the screen empty during this time.
 */
export async function untilIdleOrScrolled(): Promise<unknown> {
  return (
    scrollY > 0 ||
    Promise.race([untilIdle(), new Promise((resolve) => addEventListener('scroll', resolve, { once: true }))])
  )
}
