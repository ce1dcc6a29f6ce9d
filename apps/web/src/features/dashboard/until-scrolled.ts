import { waitUntilIdle } from '../../ui/lazy-load.tsx'

/**
 * Resolves when the browser is idle, or as soon as the page is scrolled. Used to load the parts
 * below the first screen. While the page starts, the browser is busy for seconds. If the user
 * scrolls, or a reload restores the scroll position, the parts are in view and must not wait.
 */
export async function waitUntilIdleOrScrolled(): Promise<unknown> {
  return (
    scrollY > 0 ||
    Promise.race([waitUntilIdle(), new Promise((resolve) => addEventListener('scroll', resolve, { once: true }))])
  )
}
