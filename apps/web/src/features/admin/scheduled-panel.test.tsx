// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ScheduledPanel } from './scheduled-panel.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('ScheduledPanel: shows an error with a retry when the list cannot be fetched, and is hidden when it is empty', async () => {
  let isServerDown = true
  vi.stubGlobal('fetch', async () =>
    isServerDown ? new Response('', { status: 503 }) : Response.json({ items: [], nextCursor: null }),
  )
  const { container } = render(
    <QueryClientProvider client={createQueryClient()}>
      <ScheduledPanel />
    </QueryClientProvider>,
  )
  expect((await screen.findByRole('alert')).textContent).toContain('Failed to fetch the scheduled alerts')
  isServerDown = false
  await userEvent.setup().click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(() => container.textContent).toBe('')
})
