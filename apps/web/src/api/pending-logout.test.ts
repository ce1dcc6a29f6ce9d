import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { browserStorage } from '../browser/browser-storage.ts'
import { readHint, writeHint } from '../session/signed-in-hint.ts'
import { answerTimeoutMs, endPendingLogout, isLogoutPending, markLogoutPending, withTimeout } from './pending-logout.ts'
import { createQueryClient, queries } from './queries.ts'

const user = {
  id: '0190d3a8-7a6b-7c3d-9e4f-5a6b7c8d9e0f',
  email: 'jonas@tocsin.local',
  name: 'Jonas',
  isAdmin: false,
  role: 'user' as const,
  permissions: [],
  mustEnrol: false,
  createdAt: '2026-11-22T12:00:00.000Z',
  wallets: [],
  provedWallets: [],
}
const requests: string[] = []
let isServerDown = false
let unansweredPath: string | null = null

beforeEach(() => {
  requests.length = 0
  isServerDown = false
  unansweredPath = null
  vi.stubGlobal('fetch', async (address: string, { signal }: RequestInit) => {
    requests.push(address)
    if (address === unansweredPath)
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    if (address === '/api/auth/logout' && isServerDown) throw new TypeError('Failed to fetch')
    const body = address === '/api/auth/logout' ? { success: true, message: '' } : { success: true, user }
    return new Response(JSON.stringify(body))
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  for (const key of ['userAuth', 'userData', 'logoutPending']) browserStorage.removeItem(key)
})

async function logOut(): Promise<void> {
  markLogoutPending()
  await endPendingLogout().catch(() => {})
}

it('currentUser query: retries a failed logout before it requests the user', async () => {
  isServerDown = true
  await logOut()
  expect(isLogoutPending()).toBe(true)

  const client = createQueryClient()
  await expect(client.fetchQuery(queries.currentUser)).rejects.toThrow('Failed to fetch')
  expect(requests).toEqual(['/api/auth/logout', '/api/auth/logout'])

  isServerDown = false
  await client.fetchQuery(queries.currentUser)
  expect(requests.slice(2)).toEqual(['/api/auth/logout', '/api/auth/user'])
  expect(isLogoutPending()).toBe(false)
})

it('readHint: returns null when a logout is pending', async () => {
  writeHint(user)
  expect(readHint()).toEqual({ name: 'Jonas', isAdmin: false })
  isServerDown = true
  await logOut()
  expect(readHint()).toBe(null)
})

it('currentUser query: does not retry the logout when the server has confirmed it', async () => {
  await logOut()
  await createQueryClient().fetchQuery(queries.currentUser)
  expect(requests).toEqual(['/api/auth/logout', '/api/auth/user'])
})

it('withTimeout: runs the work with an aborted signal when the outer signal is already aborted', async () => {
  const reason = new Error('cancelled')
  await expect(withTimeout(async (signal) => signal.throwIfAborted(), AbortSignal.abort(reason))).rejects.toBe(reason)
})

it.each([
  ['a pending logout', '/api/auth/logout', true],
  ['the request for the user', '/api/auth/user', false],
] as const)('currentUser query: fails after the timeout when %s hangs', async (_name, address, isPending) => {
  vi.useFakeTimers()
  unansweredPath = address
  markLogoutPending()
  const userReads = [0, 1].map(() => createQueryClient().fetchQuery(queries.currentUser))
  const outcomes = Promise.allSettled(userReads)
  await vi.advanceTimersByTimeAsync(answerTimeoutMs)
  expect(await outcomes).toMatchObject([{ reason: { name: 'TimeoutError' } }, { reason: { name: 'TimeoutError' } }])
  expect(requests.filter((path) => path === '/api/auth/logout')).toHaveLength(1)
  expect(requests.includes('/api/auth/user')).toBe(!isPending)
  expect(isLogoutPending()).toBe(isPending)
})
