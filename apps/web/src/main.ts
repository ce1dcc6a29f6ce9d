import './styles.css'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no #root')

/** Its scripts are here by then (see scripts/draw-pages.ts), but each takes its time to begin: between them there is room for a press. */
async function start(root: HTMLElement): Promise<void> {
  await aPaint()
  await import('react-dom/client')
  await aTurn()
  // The first to need zod; then the shapes of all calls.
  await import('./signed-in-hint.ts')
  await aTurn()
  await import('./api.ts')
  await aTurn()
  const { showApp } = await import('./app.tsx')
  await aTurn()
  await showApp(root)
}

const HIDDEN_PAGE_MS = 200

/** What was drawn at build time is on the screen before the scripts take the processor. A page in the background is not drawn, and does not wait long. */
const aPaint = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, HIDDEN_PAGE_MS)
  })
const aTurn = () => new Promise((resolve) => setTimeout(resolve))

void start(element)
