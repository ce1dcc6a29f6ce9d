import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { DrawnGate } from './drawn-gate.tsx'
import { paths } from './paths.ts'
import { createQueryClient } from './queries.ts'
import { router } from './router.tsx'
import { drawingTexts } from './texts/drawing.ts'

const texts = drawingTexts.prerender

/** What a search result says under the title, of every page that is drawn at build time. */
const descriptions: { [path: string]: string } = {
  [paths.home]: texts.marketAnomalyAlerts,
  [paths.documentation]: texts.fromSignUp,
  [paths.apiReference]: texts.everyCallOfTheHttp,
  [paths.contactSupport]: texts.writeToTheOperator,
  [paths.transparency]: texts.wholeAlertLogInFigures,
  [paths.privacyPolicy]: texts.whatThisServerKnows,
  [paths.termsOfService]: texts.whatYouGet,
  [paths.security]: texts.whatProtectsTheAlerts,
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

/** What a page behind the sign-in shows first, and what the browser's tab is called meanwhile. */
export async function drawGate(path: string): Promise<{ title: string; html: string }> {
  const title = await goTo(path)
  return { title: `${title} · Tocsin`, html: renderToString(<DrawnGate path={path} title={title} />) }
}

/** The public pages as they are before anything has been read from the server. */
export async function drawPages(): Promise<{ pages: DrawnPage[]; notFound: DrawnPage }> {
  const pages: DrawnPage[] = []
  for (const [path, description] of Object.entries(descriptions)) pages.push(await drawPage(path, description))
  return { pages, notFound: await drawPage(nowhere, texts.nothingStandsAtThisAddress) }
}

async function drawPage(path: string, description: string): Promise<DrawnPage> {
  if (path === paths.home) {
    const { LandingPage } = await import('./features/landing/landing-page.tsx')
    const landing = (
      <StrictMode>
        <LandingPage />
      </StrictMode>
    )
    const title = texts.tocsinMarketAlarmsUnder
    return { path, description, title, html: renderToString(landing), entry: 'landing' }
  }
  const title = await goTo(path)
  const html = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { path, description, title: `${title} · Tocsin`, html, entry: 'app' }
}

/** Brings the router to an address. Answers the title of the page there. */
async function goTo(path: string): Promise<string> {
  // Scrolling is restored by an inline script on the server's side, which the content security policy forbids.
  const scrollRestoration = false
  router.update({ ...router.options, scrollRestoration, history: createMemoryHistory({ initialEntries: [path] }) })
  await router.load()
  return router.state.matches.at(-1)?.staticData.title ?? texts.pageNotFound
}
