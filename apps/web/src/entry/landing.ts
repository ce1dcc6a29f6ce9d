import '../styles.css'
import { yieldToBrowser } from '../browser/yield-to-browser.ts'

const element = document.getElementById('root')
if (!element) throw new Error('landing.html has no #root')

/**
 * Hydrates the prerendered page. Loads the scripts in steps that yield, so that input is handled in
 * between.
 */
async function hydrate(root: HTMLElement): Promise<void> {
  const { createElement, StrictMode, startTransition } = await import('react')
  const { hydrateRoot } = await import('react-dom/client')
  await yieldToBrowser()
  const { Landing } = await import('../features/landing/landing.tsx')
  await yieldToBrowser()
  // If hydration fails, restore the prerendered page: its links work without scripts.
  const prerendered = root.cloneNode(true)
  const onUncaughtError = (error: unknown) => {
    reportError(error)
    root.replaceWith(prerendered)
  }
  // A transition hydrates in slices of a few milliseconds.
  startTransition(
    () => void hydrateRoot(root, createElement(StrictMode, null, createElement(Landing)), { onUncaughtError }),
  )
}

const start = () => setTimeout(() => void hydrate(element))
if (document.readyState === 'complete') start()
else addEventListener('load', start, { once: true })
