import '../styles.css'
import type { ResponseOf } from '@tocsin/protocol'
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
 * Adds the session state and announcements to a legal page. The page works without scripts, so
 * React is loaded only if there is an announcement.
 */
async function complete(root: HTMLElement): Promise<void> {
  const [user, announcements] = await Promise.all([
    read<ResponseOf<'currentUser'>>('/api/auth/user'),
    read<ResponseOf<'findAnnouncements'>>('/api/announcements'),
  ])
  const { dataset } = document.documentElement
  if (user) dataset.session = user.user && !('leaving' in dataset) ? 'in' : 'out'
  if (!announcements?.length) return
  const { createElement } = await import('react')
  const { createRoot } = await import('react-dom/client')
  const { AnnouncementBanner } = await import('../features/site/announcement-banner.tsx')
  const place = document.createElement('div')
  root.before(place)
  createRoot(place).render(createElement(AnnouncementBanner, { announcements }))
}

/**
 * Fetches JSON. Returns null if the server does not answer, because the page is readable without
 * it.
 */
async function read<Answer>(url: string): Promise<Answer | null> {
  const answer = await fetch(url).catch(() => null)
  return answer?.ok ? answer.json() : null
}

const start = () => setTimeout(() => void ('text' in element.dataset ? complete(element) : hydrate(element)))
if (document.readyState === 'complete') start()
else addEventListener('load', start, { once: true })
