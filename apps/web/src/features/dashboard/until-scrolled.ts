import { waitUntilIdle } from '../../ui/lazy-load.tsx'

/**
 * Resolves when the browser is idle, or as soon as the page is scrolled. For parts below the first
 * screen. A starting page keeps the browser busy for seconds. After a reload that restores the
 * scroll position, these parts are on the screen, which must not stay empty during this time.
 */
export async function waitUntilIdleOrScrolled(): Promise<unknown> {
  return (
    scrollY > 0 ||
    Promise.race([waitUntilIdle(), new Promise((resolve) => addEventListener('scroll', resolve, { once: true }))])
  )
}
