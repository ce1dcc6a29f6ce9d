// @vitest-environment happy-dom
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { store } from '../../browser/stored-json.ts'
import { setTabUnreadCount } from '../../browser/tab-title.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { PushDeviceSync } from './push-device-sync.tsx'

afterEach(() => {
  cleanup()
  setTabUnreadCount(0)
  vi.unstubAllGlobals()
  localStorage.clear()
})

function renderSync(client: QueryClient) {
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id: 'u1' } })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <PushDeviceSync />
      </AuthProvider>
    </QueryClientProvider>,
  )
}

test('PushDeviceSync: sets the app badge to the unread count on mount and when the page becomes visible', () => {
  const badgeCounts: number[] = []
  vi.stubGlobal('navigator', {
    setAppBadge: async (count: number) => void badgeCounts.push(count),
    clearAppBadge: async () => void badgeCounts.push(0),
  })
  setTabUnreadCount(5)
  renderSync(createQueryClient())
  document.dispatchEvent(new Event('visibilitychange'))
  expect(badgeCounts).toEqual([5, 5, 5])
})

test('PushDeviceSync: closes the push message of an alert that is acknowledged elsewhere after the list was loaded', async () => {
  const pushMessage = { data: { path: '/a/7' }, close: vi.fn() }
  vi.stubGlobal('navigator', {
    serviceWorker: { getRegistration: async () => ({ getNotifications: async () => [pushMessage] }) },
  })
  vi.stubGlobal('fetch', async (url: string) =>
    url === '/api/channels/acknowledgements' ? Response.json([{ logIndex: 7 }]) : new Response('', { status: 503 }),
  )
  store('push-device', { accountId: 'u1', destinationId: 'd1', endpoint: '', p256dh: '', serverKey: '' })
  const client = createQueryClient()
  client.setQueryData(queries.acknowledgements.queryKey, [])
  renderSync(client)
  const otherTab = new BroadcastChannel('tocsin')
  onTestFinished(() => otherTab.close())
  otherTab.postMessage('acknowledgements')
  await expect.poll(() => pushMessage.close.mock.calls.length).toBe(1)
})
