import { afterEach, expect, test, vi } from 'vitest'
import { signInWithPasskey } from './passkeys.ts'

afterEach(() => vi.unstubAllGlobals())

test.each([true, false])('signInWithPasskey: sends whether the session is remembered: %s', async (rememberMe) => {
  const bytes = new Uint8Array([1]).buffer
  const response = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }
  const credential = { id: 'AQ', rawId: bytes, type: 'public-key', response, getClientExtensionResults: () => ({}) }
  vi.stubGlobal('PublicKeyCredential', class {})
  vi.stubGlobal('navigator', { credentials: { get: async () => credential } })
  const fetchMock = vi.fn(async (_url: string, _init: RequestInit) => new Response('{"success":true,"challenge":"AQ"}'))
  vi.stubGlobal('fetch', fetchMock)
  await signInWithPasskey({ rememberMe })
  const [url, request] = fetchMock.mock.calls.at(-1) ?? []
  expect(url).toBe('/api/auth/passkey')
  expect(JSON.parse(String(request?.body))).toMatchObject({ response: { id: 'AQ' }, rememberMe })
})
