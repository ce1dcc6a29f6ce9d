import '../styles.css'
import { yieldToBrowser } from '../browser/yield-to-browser.ts'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no #root')

/**
 * The scripts are preloaded (see scripts/prerender-pages.ts), but evaluating them takes time.
 * Yields between them so that input is handled.
 */
async function start(root: HTMLElement): Promise<void> {
  // The first render needs this font. If it were loaded only then, the page would be laid out
  // twice.
  document.fonts.load('1em "Martian Mono Variable"').catch(reportError)
  for (const load of startupModules) {
    await load()
    await yieldToBrowser()
  }
  const { showApp } = await import('./app.tsx')
  await yieldToBrowser()
  await showApp(root)
}

/**
 * Modules in dependency order, so that each import evaluates few scripts in one task: React, the
 * chunks `shared` and `app` (each through one of its modules that has no imports), the API client,
 * the router and the routes.
 */
const startupModules = [
  () => import('react'),
  () => import('react-dom/client'),
  () => import('../paths.ts'),
  () => import('../browser/tab-title.ts'),
  () => import('../session/signed-in-hint.ts'),
  () => import('../api/api.ts'),
  () => import('../api/queries.ts'),
  () => import('../session/auth.tsx'),
  () => import('../features/site/not-found-page.tsx'),
  () => import('./router.tsx'),
]

start(element).catch((error: unknown) => {
  reportError(error)
  document.getElementById('start-failure')?.removeAttribute('hidden')
})
