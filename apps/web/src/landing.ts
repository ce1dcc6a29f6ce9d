import './styles.css'
import { aTurn } from './a-turn.ts'

const element = document.getElementById('root')
if (!element) throw new Error('landing.html has no #root')

/** The page is drawn already. Script comes after it has been seen, in pieces: between them there is time for a press. */
async function takeOver(root: HTMLElement): Promise<void> {
  const { createElement, StrictMode, startTransition } = await import('react')
  const { hydrateRoot } = await import('react-dom/client')
  await aTurn()
  const { Landing } = await import('./features/landing/landing.tsx')
  await aTurn()
  // If a script fails, the drawn page stays: its links work without any.
  const drawn = root.cloneNode(true)
  const onUncaughtError = (error: unknown) => {
    reportError(error)
    root.replaceWith(drawn)
  }
  // As a transition it is taken over in slices of a few milliseconds.
  startTransition(
    () => void hydrateRoot(root, createElement(StrictMode, null, createElement(Landing)), { onUncaughtError }),
  )
}

const start = () => setTimeout(() => void takeOver(element))
if (document.readyState === 'complete') start()
else addEventListener('load', start, { once: true })
