// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { systemToasts } from '../../ui/toast.tsx'
import { PasskeyLogIn } from './passkey-log-in.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  systemToasts.clear()
  localStorage.clear()
})

test('PasskeyLogIn: shows the server’s message when the response contains no user', async () => {
  const bytes = new Uint8Array([1]).buffer
  const response = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }
  const credential = { id: 'AQ', rawId: bytes, type: 'public-key', response, getClientExtensionResults: () => ({}) }
  vi.stubGlobal('PublicKeyCredential', class {})
  vi.stubGlobal('navigator', { credentials: { get: async () => credential } })
  const message = 'Please verify your email address first.'
  vi.stubGlobal('fetch', async () => Response.json({ success: false, message, challenge: 'AQ' }))
  const client = createQueryClient()
  client.setQueryData(queries.currentUser.queryKey, { success: false, user: null })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <PasskeyLogIn />
      </AuthProvider>
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Log in with a passkey' }))
  await expect
    .poll(() => systemToasts.snapshot().shown.map(({ item }) => item))
    .toMatchObject([{ title: 'Login Failed', description: message }])
})
