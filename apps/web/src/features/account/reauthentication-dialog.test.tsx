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

const noFactors = { totp: null, passkeys: [], recoveryCodesLeft: 0 }

interface Page {
  path?: string
  email?: string | null
  /** True if the operator has configured Google. */
  hasGoogle?: boolean
  answer: (url: string, request: RequestInit) => Response
}

/** Opens the dialog for an account whose only sign-in method is Google. */
function renderDialog({ path = '/settings', email = null, hasGoogle = false, answer }: Page) {
  vi.stubGlobal('fetch', async (url: string, request: RequestInit) => answer(url, request))
  const client = createQueryClient()
  // The cached values contain only the fields that the dialog reads.
  const account = { name: 'Mara', email, hasPassword: false, wallets: [], identities: [{ provider: 'google' }] }
  client.setQueryData<object>(queries.account.queryKey, account)
  client.setQueryData<object>(queries.config.queryKey, { signIn: { google: hasGoogle, linkedin: true } })
  const history = createMemoryHistory({ initialEntries: [path] })
  render(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={createRouter({ routeTree: createRootRoute(), history })}>
        <ReauthenticationDialog onConfirmed={() => {}} onCancel={() => {}} />
      </RouterContextProvider>
    </QueryClientProvider>,
  )
}

/** Opens the dialog with Google not configured, so that no sign-in method is available. */
async function openWithoutMethod(email: string | null) {
  const requests: unknown[] = []
  renderDialog({
    email,
    answer(url, { body }) {
      if (url === '/api/account/factors') return Response.json(noFactors)
      requests.push([url, JSON.parse(String(body))])
      return Response.json({ success: true, message: '' })
    },
  })
  await screen.findByText(/its sign-in provider is no longer available here/)
  return { requests }
}

test('ReauthenticationDialog: mails a link to set a password when no sign-in method is available', async () => {
  const { requests } = await openWithoutMethod('mara@example.com')
  fireEvent.click(screen.getByRole('button', { name: 'Email a link to set a password' }))
  await screen.findByText('We sent a link to mara@example.com. It works once, within one hour.')
  expect(requests).toEqual([['/api/auth/forgot-password', { email: 'mara@example.com' }]])
})

test('ReauthenticationDialog: links to support when the account has no sign-in method and no email address', async () => {
  await openWithoutMethod(null)
  expect(screen.getByRole('link', { name: 'Contact support' }).getAttribute('href')).toBe('/contact-support')
})

test.each([
  ['/settings', '/settings?confirmed=google'],
  ['/admin?tab=users&user=u-1', '/admin?tab=users&user=u-1&confirmed=google'],
  ['/admin?tab=users&search=ada+love', '/admin?tab=users&search=ada%20love&confirmed=google'],
  [`/admin?tab=users&search=${'x'.repeat(500)}`, '/admin?confirmed=google'],
])('ReauthenticationDialog: a confirmation with a provider on %s returns to %s', async (path, returnTo) => {
  renderDialog({ path, hasGoogle: true, answer: () => Response.json(noFactors) })
  const link = await screen.findByRole('link', { name: 'Confirm with Google' })
  const url = new URL(link.getAttribute('href') ?? '', 'http://localhost')
  expect(url.pathname).toBe('/api/auth/google')
  expect(Object.fromEntries(url.searchParams)).toEqual({ purpose: 'confirm', returnTo })
})

test.each([
  ['the server’s message', { code: 'too_many_requests', message: 'Too many requests. Wait a minute.' }],
  ['that the server did not respond', null],
])('ReauthenticationDialog: shows %s when the sign-in methods cannot be loaded', async (_, refusal) => {
  const body = refusal && JSON.stringify({ success: false, requestId: 'r', ...refusal })
  renderDialog({ answer: () => new Response(body, { status: 429 }) })
  const { textContent } = await screen.findByRole('alert')
  expect(textContent).toBe(`${refusal?.message ?? 'The server did not respond.'}Try again`)
})
