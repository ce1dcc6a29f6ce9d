import { QueryClientProvider } from '@tanstack/react-query'
import type { Subscription } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { SubscriptionCard } from './subscription-card.tsx'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: ReactNode }) => children }))
vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../ui/media-query.ts', () => ({ usePhone: () => false }))

test('SubscriptionCard: shows the exact price when a coupon made it a fraction', () => {
  const client = createQueryClient()
  const endTime = new Date(Date.now() + HOUR_MS).toISOString()
  const subscription = {
    planType: '3d',
    tokenAmount: '37500000000000000000',
    startTime: endTime,
    endTime,
    isActive: true,
  }
  client.setQueryData(queries.activeSubscription('u-1').queryKey, subscription as Subscription)
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <SubscriptionCard />
    </QueryClientProvider>,
  )
  expect(html).toContain(' · 37.5 ITO · ')
})
