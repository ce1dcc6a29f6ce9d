import './styles.css'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no #root')

/** Its scripts are here by then (see scripts/draw-pages.ts), but each takes its time to begin: between them there is room for a press. */
async function start(root: HTMLElement): Promise<void> {
  await import('react-dom/client')
  await aTurn()
  await import('./api.ts')
  await aTurn()
  const { showApp } = await import('./app.tsx')
  await aTurn()
  await showApp(root)
}

const aTurn = () => new Promise((resolve) => setTimeout(resolve))

void start(element)
