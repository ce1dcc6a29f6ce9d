import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { paths } from './paths.ts'
import { createQueryClient } from './queries.ts'
import { router } from './router.tsx'
import { FullPageSpinner } from './ui/spinner.tsx'

/** What a search result says under the title, of every page that is drawn at build time. */
const descriptions: { [path: string]: string } = {
  [paths.home]:
    'Market anomaly alerts that nobody can forge, back-date or quietly drop: each is signed, logged and anchored on a public chain. Check one now, without an account.',
  [paths.documentation]:
    'From sign-up to a verified alert in four steps: ways to sign in, wallet, plans, checking an alert, and what developers need.',
  [paths.apiReference]:
    'Every call of the HTTP API and every message of the live stream, with examples in curl, TypeScript and Python, made from the server’s own schemas.',
  [paths.contactSupport]: 'Write to the operator of this site. Response times and what to do when money is at risk.',
  [paths.transparency]:
    'The whole alert log in figures: what it holds, what of it is anchored on chain, and how to check both yourself.',
  [paths.privacyPolicy]: 'What this server knows of you, why, and how to take it with you or delete it.',
  [paths.termsOfService]: 'What you get, what it costs, and what nobody can promise.',
  [paths.security]: 'What protects the alerts, your money and your account, and what the proof does not show.',
}
/** No page has this address. */
const nowhere = '/404'

export interface DrawnPage {
  path: string
  title: string
  description: string
  html: string
  /** Which script takes it over. */
  entry: 'landing' | 'app'
}

/** Every address that has a page. */
export const pagePaths: readonly string[] = Object.values(paths)

/** What a page behind the sign-in shows first in any case. */
export const drawGate = () => renderToString(<FullPageSpinner>Checking authentication...</FullPageSpinner>)

/** The public pages as they are before anything has been read from the server. */
export async function drawPages(): Promise<{ pages: DrawnPage[]; notFound: DrawnPage }> {
  const pages: DrawnPage[] = []
  for (const [path, description] of Object.entries(descriptions)) pages.push(await drawPage(path, description))
  return { pages, notFound: await drawPage(nowhere, 'Nothing stands at this address.') }
}

async function drawPage(path: string, description: string): Promise<DrawnPage> {
  if (path === paths.home) {
    const { LandingPage } = await import('./features/landing/landing-page.tsx')
    const landing = (
      <StrictMode>
        <LandingPage />
      </StrictMode>
    )
    const title = 'Tocsin · Market alarms, under seal'
    return { path, description, title, html: renderToString(landing), entry: 'landing' }
  }
  // Scrolling is restored by an inline script on the server's side, which the content security policy forbids.
  const scrollRestoration = false
  router.update({ ...router.options, scrollRestoration, history: createMemoryHistory({ initialEntries: [path] }) })
  await router.load()
  const html = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const name = router.state.matches.at(-1)?.staticData.title ?? 'Page Not Found'
  return { path, description, title: `${name} · Tocsin`, html, entry: 'app' }
}
