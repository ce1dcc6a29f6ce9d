import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, RouterContextProvider, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { createQueryClient } from '../api/queries.ts'
import { ConnectWalletView } from '../features/dashboard/connect-gate.tsx'
import { DashboardSkeleton } from '../features/dashboard/restoring.tsx'
import { alertRoute, assetRoute, paths } from '../paths.ts'
import { AuthProvider } from '../session/auth.tsx'
import { PrerenderedShell, PulseFrame } from '../shell/app-shell.tsx'
import { FullPageSpinner } from '../ui/spinner.tsx'
import { router } from './router.tsx'

/** Meta descriptions of the pages that are prerendered. */
const descriptions: { [path: string]: string } = {
  [paths.home]:
    'Market anomaly alerts that cannot be forged, backdated or dropped unnoticed: each is signed, logged and anchored on a public chain. Check one now, without an account.',
  [paths.documentation]:
    'From sign-up to a verified alert in four steps: sign-in methods, wallet, plans, verifying an alert, and resources for developers.',
  [paths.apiReference]:
    'Every call of the HTTP API and every message of the live stream, with examples in curl, TypeScript and Python, generated from the server’s own schemas.',
  [paths.contactSupport]: 'Contact the operator of this site. Response times and what to do when money is at risk.',
  [paths.transparency]:
    'The alert log in figures: what it contains, which part of it is anchored on chain, and how to check both yourself.',
  [paths.trackRecord]:
    'How often predictions came true, counted from signed alerts and public candles: rate, interval, base rate and calibration, with the command that recomputes each figure.',
  [paths.privacyPolicy]: 'What this server stores about you, why, and how to export or delete it.',
  [paths.termsOfService]: 'What the service includes, what it costs, and what is not guaranteed.',
  [paths.security]: 'How alerts, payments and accounts are protected, and what the proof does not show.',
}
/**
 * Path at which the template of alert pages is rendered. No alert has this path, because entry 0 of
 * the log is a key list.
 */
const alertTemplatePath = alertRoute.replace('$index', '0')
/** One path that represents the pages of all assets. */
const anyAssetPath = assetRoute.replace('$symbol', '*')
/** Pages of text. They work without scripts. */
const textPaths: readonly string[] = [paths.documentation, paths.privacyPolicy, paths.termsOfService, paths.security]
/** A path that has no page, to render the not-found page. */
const notFoundPath = '/404'

export interface RenderedPage {
  path: string
  title: string
  description: string
  html: string
  /**
   * What scripts do with the prerendered HTML. `landing`: they hydrate it. `text`: they keep it and
   * add the parts that only the server knows. `app`: they replace it by the app.
   */
  entry: 'landing' | 'text' | 'app'
}

/** The paths of all pages except those of alerts. One path represents the pages of all assets. */
export const pagePaths: readonly string[] = [...Object.values(paths), anyAssetPath]

/** The initial HTML of a signed-in page and its tab title. */
export async function renderGate(path: string): Promise<{ title: string; html: string }> {
  const title = await goTo(path)
  return { title: `${title} · Tocsin`, html: renderToString(<PrerenderedGate path={path} title={title} />) }
}

/** Renders the public pages, without data from the server. */
export async function renderPages(): Promise<{ pages: RenderedPage[]; notFound: RenderedPage; alert: RenderedPage }> {
  const pages: RenderedPage[] = []
  for (const [path, description] of Object.entries(descriptions)) pages.push(await renderPage(path, description))
  const notFound = await renderPage(notFoundPath, 'There is no page at this address.')
  // The server replaces title, description and content of the alert page.
  return { pages, notFound, alert: await renderPage(alertTemplatePath, '') }
}

async function renderPage(path: string, description: string): Promise<RenderedPage> {
  if (path === paths.home) {
    const { LandingPage } = await import('../features/landing/landing-page.tsx')
    const landing = (
      <StrictMode>
        <LandingPage />
      </StrictMode>
    )
    const title = 'Tocsin · Signed and anchored market anomaly alerts'
    return { path, description, title, html: renderToString(landing), entry: 'landing' }
  }
  const title = await goTo(path)
  const html = renderToString(
    <QueryClientProvider client={createQueryClient()}>
      <AuthProvider>
        <RouterProvider router={router} />
      </AuthProvider>
    </QueryClientProvider>,
  )
  const entry = textPaths.includes(path) ? 'text' : 'app'
  return { path, description, title: `${title} · Tocsin`, html, entry }
}

/** Navigates the router to a path. Returns the title of the page. */
async function goTo(path: string): Promise<string> {
  // When prerendering, the router restores scrolling with an inline script, which the content
  // security policy blocks.
  const scrollRestoration = false
  router.update({ ...router.options, scrollRestoration, history: createMemoryHistory({ initialEntries: [path] }) })
  await router.load()
  return router.state.matches.at(-1)?.staticData.title ?? 'Page Not Found'
}

/**
 * Prerendered content of a signed-in page while the session is checked: the layout if this browser
 * was signed in, otherwise a spinner. CSS shows one of them, depending on attributes set by
 * `public/theme.js`. The router must already be at `path`.
 */
function PrerenderedGate({ path, title }: { path: string; title: string }) {
  return (
    <>
      <div className="signed-in:hidden">
        <FullPageSpinner>Checking authentication...</FullPageSpinner>
      </div>
      <div className="signed-out:hidden">
        <RouterContextProvider router={router}>
          {path === paths.dashboard ? <PrerenderedDashboard /> : <PrerenderedPage path={path} title={title} />}
        </RouterContextProvider>
      </div>
    </>
  )
}

function PrerenderedDashboard() {
  return (
    <>
      <div className="wallet-known:hidden">
        <PrerenderedShell>
          <ConnectWalletView onConnect={null} />
        </PrerenderedShell>
      </div>
      <div className="wallet-none:hidden">
        <PrerenderedShell heading={null}>
          <DashboardSkeleton />
        </PrerenderedShell>
      </div>
    </>
  )
}

function PrerenderedPage({ path, title }: { path: string; title: string }) {
  // The pulse timeline exists only if a wallet is connected.
  const pulse = path === paths.notifications && (
    <div className="wallet-none:hidden">
      <PulseFrame />
    </div>
  )
  return (
    <PrerenderedShell pulse={pulse}>
      <h1 className="text-h1">{title}</h1>
    </PrerenderedShell>
  )
}
