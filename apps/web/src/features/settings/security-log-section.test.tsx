// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { AccountSession, OwnSecurityEvent } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { SecurityLogSection } from './security-log-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  systemToasts.clear()
})

const LOG_PATH = '/api/account/security-log?limit=8'

function renderSections(fetch: (url: string) => Promise<Response>, children: ReactNode) {
  vi.stubGlobal('fetch', fetch)
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>{children}</QueryClientProvider>
    </ReauthenticationContext>,
  )
}

test('SecurityLogSection: shows no number of entries while the log loads', () => {
  renderSections(() => new Promise(() => {}), <SecurityLogSection />)
  expect(screen.getByRole('status', { name: 'Loading your security log' })).toBeDefined()
  expect(screen.queryByText(/newest first/)).toBeNull()
})

test('SecurityLogSection: shows the server’s message and no number of entries when the log cannot be loaded', async () => {
  const refusal = { success: false, code: 'too_many_requests', message: 'Too many requests.', requestId: 'r' }
  renderSections(async () => Response.json(refusal, { status: 429 }), <SecurityLogSection />)
  const { textContent } = await screen.findByRole('alert')
  expect(textContent).toBe('Too many requests.Try again')
  expect(screen.queryByText(/newest first/)).toBeNull()
})

test('SecurityLogSection: shows the new entry when the user has ended the other sessions', async () => {
  const createEvent = (id: string, kind: string): OwnSecurityEvent => ({
    ...{ id, kind, at: '2026-11-24T12:00:00.000Z', category: 'sign-in', network: null, detail: '' },
  })
  const items = [createEvent('1', 'signed_in')]
  const session: AccountSession = {
    ...{ id: 's-2', isCurrent: false, device: 'Firefox on Linux', method: 'password', place: null },
    ...{ createdAt: '2026-11-24T12:00:00.000Z', lastSeenAt: '2026-11-24T12:00:00.000Z', remembered: false },
  }
  renderSections(
    async (url) => {
      if (url === LOG_PATH) return Response.json({ items, nextCursor: null })
      if (url === '/api/auth/sessions') return Response.json([session])
      items.unshift(createEvent('2', 'session_ended'))
      return Response.json({ success: true, message: '' })
    },
    <>
      <SessionsSection />
      <SecurityLogSection />
    </>,
  )
  await screen.findByText('1 shown, newest first')
  fireEvent.click(await screen.findByRole('button', { name: 'End all others' }))
  expect(await screen.findByText('Session ended')).toBeDefined()
  expect(screen.getByText('All 2 shown, newest first')).toBeDefined()
})
