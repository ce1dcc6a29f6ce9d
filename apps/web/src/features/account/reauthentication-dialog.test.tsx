// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { ReauthenticationDialog } from './reauthentication-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Opens the dialog for an account whose only sign-in method is Google, which is not configured. */
function openDialog(email: string | null) {
  const requests: unknown[] = []
  const factors = { totp: null, passkeys: [], recoveryCodesLeft: 0 }
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit) => {
    if (url === '/api/account/factors') return Response.json(factors)
    requests.push([url, JSON.parse(String(body))])
    return Response.json({ success: true, message: '' })
  })
  const client = createQueryClient()
  // The cached values contain only the fields that the dialog reads.
  const account = { name: 'Mara', email, hasPassword: false, wallets: [], identities: [{ provider: 'google' }] }
  client.setQueryData<object>(queries.account.queryKey, account)
  client.setQueryData<object>(queries.config.queryKey, { signIn: { google: false, linkedin: true } })
  client.setQueryData<object>(queries.factors.queryKey, factors)
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={router}>
        <ReauthenticationDialog onConfirmed={() => {}} onCancel={() => {}} />
      </RouterContextProvider>
    </QueryClientProvider>,
  )
  expect(screen.getByText(/its sign-in provider is no longer available here/)).toBeDefined()
  return { requests }
}

test('ReauthenticationDialog: mails a link to set a password when no sign-in method is available', async () => {
  const { requests } = openDialog('mara@example.com')
  fireEvent.click(screen.getByRole('button', { name: 'Email a link to set a password' }))
  await screen.findByText('We sent a link to mara@example.com. It works once, within one hour.')
  expect(requests).toEqual([['/api/auth/forgot-password', { email: 'mara@example.com' }]])
})

test('ReauthenticationDialog: links to support when the account has no sign-in method and no email address', () => {
  openDialog(null)
  expect(screen.getByRole('link', { name: 'Contact support' }).getAttribute('href')).toBe('/contact-support')
})
