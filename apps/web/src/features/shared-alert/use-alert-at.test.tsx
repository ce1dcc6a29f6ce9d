// @vitest-environment happy-dom
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import type { AlertAt } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { prefetchAlert } from './alert-query.ts'
import { useAlertAt } from './use-alert-at.ts'

/** The signed-in user, on the page and on the server. Null if no user is signed in. */
let user: { id: 'trader' | 'subscriber' } | null = null
vi.mock('../../session/auth.tsx', () => ({ useAuth: () => ({ status: user ? 'in' : 'out', user }) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
  document.body.replaceChildren()
  history.replaceState(null, '', '/')
  user = null
})

const withheldAlert: AlertAt = {
  access: 'withheld',
  priority: 'high',
  createdAt: '2026-11-22T13:58:02.000Z',
  logIndex: 7,
  leafHash: `0x${'2'.repeat(64)}`,
  publicAt: '2099-11-23T13:58:02.000Z',
}
// Cast: the hook reads only these fields.
const createReadableAlert = (access: 'public' | 'subscriber') =>
  ({ access, bundle: { alert: { anchoredAt: '2026-11-22T13:58:10.000Z' } } }) as AlertAt

/** A server that discloses the alert at index 7 to the subscriber. */
function startServer() {
  const paths: string[] = []
  let isSubscribed = false
  vi.stubGlobal('fetch', async (path: string) => {
    paths.push(path)
    if (path === '/api/auth/user') return Response.json({ success: user !== null, user })
    if (path.startsWith('/api/subscriptions/')) return Response.json(isSubscribed ? { id: 's-1' } : null)
    return Response.json(user?.id === 'subscriber' || isSubscribed ? createReadableAlert('subscriber') : withheldAlert)
  })
  return {
    countReads: () => paths.filter((path) => path === '/api/alerts/at/7').length,
    subscribe() {
      isSubscribed = true
    },
  }
}

/** Inserts the alert into the page, as the server does. */
function insertAlert(page: AlertAt): void {
  const json = Object.assign(document.createElement('script'), { id: 'alert-data', type: 'application/json' })
  json.textContent = JSON.stringify(page)
  document.body.append(json)
}

function openAlert(client: QueryClient = createQueryClient()) {
  const { result, rerender } = renderHook(() => useAlertAt(7, ''), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  })
  return {
    client,
    access: () => result.current.data?.access,
    isFetched: () => result.current.fetchStatus === 'idle',
    signIn(id: 'trader' | 'subscriber') {
      user = { id }
      rerender()
    },
    signOut() {
      user = null
      rerender()
    },
  }
}

test('useAlertAt: shows a withheld alert when a subscriber signs in, and hides it immediately at logout', async () => {
  startServer()
  const { access, signIn, signOut } = openAlert()
  await expect.poll(access).toBe('withheld')
  signIn('subscriber')
  await expect.poll(access).toBe('subscriber')
  signOut()
  expect(access()).toBe('withheld')
})

test('useAlertAt: hides an alert that a subscriber opened when the logout in another tab has not reached the server', async () => {
  startServer()
  user = { id: 'subscriber' }
  const { access, isFetched, signOut } = openAlert()
  await expect.poll(access).toBe('subscriber')
  localStorage.setItem('logoutPending', 'true')
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/api/auth/logout') throw new TypeError('Failed to fetch')
    return Response.json(createReadableAlert('subscriber'))
  })
  signOut()
  await expect.poll(isFetched).toBe(true)
  expect(access()).toBeUndefined()
})

test('useAlertAt: fetches a withheld alert again when a plan starts', async () => {
  const { subscribe, countReads } = startServer()
  user = { id: 'trader' }
  const { client, access } = openAlert()
  await expect.poll(access).toBe('withheld')
  expect(countReads()).toBe(1)
  subscribe()
  await client.refetchQueries({ queryKey: queries.activeSubscription('trader').queryKey })
  await expect.poll(access).toBe('subscriber')
  expect(countReads()).toBe(2)
})

test('prefetchAlert: fetches a withheld alert exactly once when a subscriber opens its page', async () => {
  const { countReads } = startServer()
  user = { id: 'subscriber' }
  history.replaceState(null, '', '/a/7')
  insertAlert(withheldAlert)
  const client = createQueryClient()
  await prefetchAlert(client)
  const { access } = openAlert(client)
  expect(access()).toBe('subscriber')
  expect(countReads()).toBe(1)
})
