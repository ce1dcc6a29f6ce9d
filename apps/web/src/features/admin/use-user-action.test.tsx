// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { useUserAction } from './use-user-action.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

test('useUserAction: reports success when the action succeeds and the following refetch of the account fails', async () => {
  const fetchedUrls: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    fetchedUrls.push(url)
    return new Response('', { status: 503 })
  })
  const client = createQueryClient()
  const runAction = async () => ({ message: 'Extended by 24 hours.' })
  const action = { id: 'u1', run: runAction, done: 'Subscription Extended', failed: 'Failed to extend subscription.' }
  const { result } = renderHook(() => useUserAction(action), {
    wrapper: ({ children }) => (
      <QueryClientProvider client={client}>
        <ReauthenticationContext value={async () => {}}>{children}</ReauthenticationContext>
      </QueryClientProvider>
    ),
  })
  act(() => result.current.mutate())
  await expect.poll(() => act(async () => result.current.isIdle || result.current.isPending)).toBe(false)
  expect(fetchedUrls).toContain('/api/admin/users/u1')
  expect(result.current.isSuccess).toBe(true)
  expect(systemToasts.snapshot().shown.map(({ item }) => item.title)).toEqual(['Subscription Extended'])
})
