import { MutationObserver, onlineManager } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { createQueryClient, queries } from './queries.ts'

const userId = '4b1d2a36-0000-4000-8000-000000000000'

test('activeSubscription query: is polled every 60 seconds, stale after 30 seconds and retried once', () => {
  expect(queries.activeSubscription(userId)).toMatchObject({
    queryKey: ['/api/subscriptions/active', userId],
    staleTime: 30_000,
    refetchInterval: 60_000,
    retry: 1,
  })
})

test('the chain configuration is cached for five minutes and not polled', () => {
  expect(queries.chain).toMatchObject({ queryKey: ['/api/config/chain'], staleTime: 300_000 })
  expect(queries.chain).not.toHaveProperty('refetchInterval')
})

test('createQueryClient: a mutation fails immediately, instead of being sent later, while the browser is offline', async () => {
  onlineManager.setOnline(false)
  const changeMutation = new MutationObserver(createQueryClient(), {
    mutationFn: () => Promise.reject(new Error('no network')),
  })
  await expect(changeMutation.mutate()).rejects.toThrow('no network')
  onlineManager.setOnline(true)
})
