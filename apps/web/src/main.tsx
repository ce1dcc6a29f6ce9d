import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { AuthProvider } from './auth.tsx'
import { createQueryClient } from './queries.ts'
import { router } from './router.tsx'
import { SystemToasts } from './ui/toast.tsx'
import './styles.css'

const element = document.getElementById('root')
if (!element) throw new Error('index.html has no #root')

// A prerendered page is on the screen already: it stays until the same page can be drawn at once.
if (element.hasChildNodes() && !('gate' in element.dataset)) await router.load()

createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <AuthProvider>
        <RouterProvider router={router} />
        <SystemToasts />
      </AuthProvider>
    </QueryClientProvider>
  </StrictMode>,
)
