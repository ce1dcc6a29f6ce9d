import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { AuthProvider } from './auth.tsx'
import { loadLate } from './load-late.tsx'
import { createQueryClient } from './queries.ts'
import { router } from './router.tsx'

/** Nothing to say at first: what shows it comes when the page stands. */
const SystemToasts = loadLate(async () => (await import('./ui/system-toasts.tsx')).SystemToasts)

/** Shows the page that the address names. */
export async function showApp(element: HTMLElement): Promise<void> {
  // A prerendered page is on the screen already: it stays until the same page can be drawn at once.
  if (element.hasChildNodes() && !('gate' in element.dataset)) await router.load()

  createRoot(element).render(
    <StrictMode>
      <QueryClientProvider client={createQueryClient()}>
        <AuthProvider>
          <RouterProvider router={router} />
          <Suspense>
            <SystemToasts />
          </Suspense>
        </AuthProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}
