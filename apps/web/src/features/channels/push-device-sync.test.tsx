// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { setTabUnreadCount } from '../../browser/tab-title.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { PushDeviceSync } from './push-device-sync.tsx'

afterEach(() => {
  cleanup()
  setTabUnreadCount(0)
  vi.unstubAllGlobals()
})

test('PushDeviceSync: sets the app badge to the unread count on mount and when the page becomes visible', () => {
  const badgeCounts: number[] = []
  vi.stubGlobal('navigator', {
    setAppBadge: async (count: number) => void badgeCounts.push(count),
    clearAppBadge: async () => void badgeCounts.push(0),
  })
  const client = createQueryClient()
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id: 'u1' } })
  setTabUnreadCount(5)
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <PushDeviceSync />
      </AuthProvider>
    </QueryClientProvider>,
  )
  document.dispatchEvent(new Event('visibilitychange'))
  expect(badgeCounts).toEqual([5, 5, 5])
})
