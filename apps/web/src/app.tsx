import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { aTurn } from './a-turn.ts'
import { AuthProvider } from './auth.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { loadLate, pageIsIdle } from './load-late.tsx'
import { createQueryClient, frameReads, queries } from './queries.ts'
import { router } from './router.tsx'

/** Nothing to say at first: what shows it comes when the page stands. */
const SystemToasts = loadLate(async () => {
  await pageIsIdle()
  return (await import('./ui/system-toasts.tsx')).SystemToasts
})

/** Shows the page that the address names. */
export async function showApp(element: HTMLElement): Promise<void> {
  const queryClient = createQueryClient()
  // The page is on the screen already as it was drawn: it stays until the same page can be drawn at once, to whoever is there.
  if (element.hasChildNodes()) {
    const isGate = 'gate' in element.dataset
    await Promise.all([router.load(), isGate && askBeforehand(queryClient)])
    await aTurn()
  }

  const root = createRoot(element)
  // As a transition it is drawn in slices of a few milliseconds: a press in between is answered.
  startTransition(() =>
    root.render(
      <StrictMode>
        <ErrorBoundary>
          <QueryClientProvider client={queryClient}>
            <AuthProvider>
              <RouterProvider router={router} />
              <Suspense>
                <SystemToasts />
              </Suspense>
            </AuthProvider>
          </QueryClientProvider>
        </ErrorBoundary>
      </StrictMode>,
    ),
  )
}

/** Who is there; and what the frame of their pages reads, which is on its way while it is drawn. */
async function askBeforehand(queryClient: QueryClient): Promise<void> {
  await queryClient.prefetchQuery(queries.currentUser)
  const user = queryClient.getQueryData(queries.currentUser.queryKey)?.user
  if (!user) return
  for (const reads of frameReads(queryClient, user.id)) {
    for (const read of reads) void read()
    await aTurn()
  }
}
