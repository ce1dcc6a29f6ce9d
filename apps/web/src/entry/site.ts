import '../styles.css'
import type { ResponseOf } from '@tocsin/protocol'
import type { FunctionComponent } from 'react'
import { yieldToBrowser } from '../browser/yield-to-browser.ts'

const element = document.getElementById('root')
if (!element) throw new Error('site.html has no #root')

/**
 * Hydrates the front page. Loads the scripts in steps that yield, so that input is handled in
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

/**
 * Adds to a text page what only the server knows: the session state, announcements and the trust
 * anchors of the verify command. The page works without scripts, so React is loaded only for the
 * last two.
 */
async function completePage(root: HTMLElement): Promise<void> {
  await Promise.all([showSessionState(), addAnnouncements(root), completeCommand(root)])
}

async function showSessionState(): Promise<void> {
  const response = await fetchJson<ResponseOf<'currentUser'>>('/api/auth/user')
  const { dataset } = document.documentElement
  if (response) dataset.session = response.user && !('leaving' in dataset) ? 'in' : 'out'
}

async function addAnnouncements(root: HTMLElement): Promise<void> {
  const announcements = await fetchJson<ResponseOf<'findAnnouncements'>>('/api/announcements')
  if (!announcements?.length) return
  const { AnnouncementBanner } = await import('../features/site/announcement-banner.tsx')
  const container = document.createElement('div')
  root.before(container)
  await renderComponent(container, AnnouncementBanner, { announcements })
}

async function completeCommand(root: HTMLElement): Promise<void> {
  const container = root.querySelector('[data-pinned-command]')
  if (!container) return
  const [config, { PinnedCommand }] = await Promise.all([
    fetchJson<ResponseOf<'publicConfig'>>('/api/config'),
    import('../features/site/pinned-command.tsx'),
  ])
  await renderComponent(container, PinnedCommand, { config: config ?? undefined })
}

async function renderComponent<Props extends object>(
  container: Element,
  component: FunctionComponent<Props>,
  props: Props,
): Promise<void> {
  const { createElement } = await import('react')
  const { createRoot } = await import('react-dom/client')
  createRoot(container).render(createElement(component, props))
}

/**
 * Fetches JSON. Returns null if the server does not answer with JSON, because the page is readable
 * without it.
 */
async function fetchJson<Body>(url: string): Promise<Body | null> {
  try {
    const response = await fetch(url)
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}

const start = () => setTimeout(() => void ('text' in element.dataset ? completePage(element) : hydrate(element)))
if (document.readyState === 'complete') start()
else addEventListener('load', start, { once: true })
