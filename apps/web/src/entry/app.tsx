import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { defaultPreferences } from '@tocsin/protocol'
import { StrictMode, Suspense, startTransition, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient, queries, shellPrefetches } from '../api/queries.ts'
import { newVersion } from '../browser/new-version.ts'
import { useOnline } from '../browser/use-online.ts'
import { watchInput } from '../browser/user-input.ts'
import { yieldToBrowser } from '../browser/yield-to-browser.ts'
import { recordElement } from '../features/record/record-element.ts'
import { alertElement } from '../features/shared-alert/alert-element.ts'
import { AuthProvider, useAuth } from '../session/auth.tsx'
import { applyTimeStyle } from '../session/use-appearance.ts'
import { lazyLoad, waitUntilIdle } from '../ui/lazy-load.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { KeepFocus } from './keep-focus.tsx'
import { router } from './router.tsx'

/** Loaded when the page is idle, because no toast is shown before that. */
const SystemToasts = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('../ui/system-toasts.tsx')).SystemToasts
})

/** Loaded before the connection is lost, because nothing can be loaded after that. */
const ConnectionNotice = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('./connection-notice.tsx')).ConnectionNotice
})

/**
 * Loaded when the page is idle. The prerendered pages contain no announcements, so the first render
 * does not need this component.
 */
const AnnouncementNotice = lazyLoad(async () => {
  await waitUntilIdle()
  return (await import('../features/site/announcement-notice.tsx')).AnnouncementNotice
})

const VersionNotice = lazyLoad(async () => (await import('./version-notice.tsx')).VersionNotice)

function Notices() {
  const isNewer = useSyncExternalStore(newVersion.subscribe, newVersion.isReloadOffered)
  const isOnline = useOnline()
  const { status, user } = useAuth()
  return (
    <>
      <Suspense>
        <ConnectionNotice />
      </Suspense>
      <Suspense>{isNewer && isOnline && <VersionNotice />}</Suspense>
      <Suspense>{(status === 'in' || status === 'out') && <AnnouncementNotice userId={user?.id ?? null} />}</Suspense>
    </>
  )
}

/** Renders the page of the current URL. */
export async function showApp(element: HTMLElement): Promise<void> {
  watchInput()
  const queryClient = createQueryClient()
  // Keep the prerendered page until its scripts and the user are loaded, so that rendering replaces
  // it in one step.
  if (element.hasChildNodes()) {
    const isGatePage = 'gate' in element.dataset
    const isRecord = element.querySelector(recordElement) !== null
    const isAlert = element.querySelector(alertElement) !== null
    await Promise.all([
      router.load(),
      isGatePage && prefetchUser(queryClient),
      isRecord &&
        import('../features/prediction/record-queries.ts').then((module) => module.prefetchRecord(queryClient)),
      isAlert && import('../features/shared-alert/alert-query.ts').then((module) => module.prefetchAlert(queryClient)),
    ])
    await yieldToBrowser()
  }
  // The first response belongs to the session in which the page was opened. Remove it, so that a
  // later session does not read it.
  globalThis.firstResponse = undefined

  const root = createRoot(element)
  // A transition renders in slices of a few milliseconds, so that input is handled in between.
  startTransition(() =>
    root.render(
      <StrictMode>
        <ErrorBoundary>
          <QueryClientProvider client={queryClient}>
            <AuthProvider>
              <Notices />
              <RouterProvider router={router} />
              <Suspense>
                <SystemToasts />
              </Suspense>
              <KeepFocus root={element} />
            </AuthProvider>
          </QueryClientProvider>
        </ErrorBoundary>
      </StrictMode>,
    ),
  )
}

/**
 * Waits for the current user, then starts the queries of the signed-in layout without waiting for
 * them. Applies the time zone, so that the first render already shows local times.
 */
async function prefetchUser(queryClient: QueryClient): Promise<void> {
  await queryClient.prefetchQuery(queries.currentUser)
  const user = queryClient.getQueryData(queries.currentUser.queryKey)?.user
  if (!user) return
  for (const batch of shellPrefetches(queryClient, user.id)) {
    for (const prefetch of batch) void prefetch()
    await yieldToBrowser()
  }
  // If public/theme.js has requested the first alerts, wait for them: the prerendered dashboard may
  // already show them, and the app replaces it when this function returns.
  if (globalThis.firstResponse)
    await (await import('../features/alert/alert-queries.ts')).prefetchNewest(queryClient, user.id)
  // Apply the time zone in a separate task, because the first use of Intl is slow.
  await yieldToBrowser()
  applyTimeStyle(queryClient.getQueryData(queries.preferences.queryKey) ?? defaultPreferences)
}
