import './styles.css'
import { aTurn } from './a-turn.ts'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no #root')

/** Its scripts are here by then (see scripts/draw-pages.ts), but each takes its time to begin: between them there is room for a press. */
async function start(root: HTMLElement): Promise<void> {
  for (const begin of beginnings) {
    await begin()
    await aTurn()
  }
  const { showApp } = await import('./app.tsx')
  await aTurn()
  await showApp(root)
}

/**
 * In the order in which they need one another, and of what a library takes to begin no more than one turn: React, the files of the site and of the
 * app (for a part without needs of its own), zod, the shapes of all calls by parts, the calls, the router, the map of the site.
 */
const beginnings = [
  () => import('react'),
  () => import('react-dom/client'),
  () => import('./paths.ts'),
  () => import('./tab-title.ts'),
  () => import('@tocsin/protocol/endpoint'),
  () => import('./signed-in-hint.ts'),
  () => import('@tocsin/protocol/primitives'),
  () => import('@tocsin/protocol/accounts'),
  () => import('@tocsin/protocol/alerts'),
  () => import('@tocsin/protocol/orders'),
  () => import('@tocsin/protocol/alert-lists'),
  () => import('@tocsin/protocol/system'),
  () => import('@tocsin/protocol/chain-reads'),
  () => import('./api.ts'),
  () => import('./queries.ts'),
  () => import('./auth.tsx'),
  () => import('./not-found-page.tsx'),
  () => import('./router.tsx'),
]

start(element).catch((error: unknown) => {
  reportError(error)
  document.getElementById('start-failure')?.removeAttribute('hidden')
})
