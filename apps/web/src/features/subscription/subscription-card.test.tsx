// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { Subscription } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { SubscriptionCard } from './subscription-card.tsx'

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: ReactNode }) => children }))
vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))
vi.mock('../../ui/media-query.ts', () => ({ useIsPhone: () => false }))

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The card as HTML, with a plan of 3 days that ends in an hour. */
function renderCard(change: Partial<Subscription>): string {
  const client = createQueryClient()
  const endTime = new Date(Date.now() + HOUR_MS).toISOString()
  const subscription = { planType: '3d', tokenAmount: '1', startTime: endTime, endTime, isActive: true, ...change }
  client.setQueryData(queries.activeSubscription('u-1').queryKey, subscription as Subscription)
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <SubscriptionCard />
    </QueryClientProvider>,
  )
}

test('SubscriptionCard: shows the decimals of the price when a coupon made the price fractional', () => {
  expect(renderCard({ tokenAmount: '37500000000000000000' })).toContain(' · 37.5 ITO · ')
})

test.each([
  ['shows a cell for each hour when the period is as long as its plan', 72, true],
  ['shows no cells when the period was extended', 73, false],
])('SubscriptionCard: %s', (_, hours, hasCells) => {
  const startMs = Date.now() - HOUR_MS
  const startTime = new Date(startMs).toISOString()
  const html = renderCard({ startTime, endTime: new Date(startMs + hours * HOUR_MS).toISOString() })
  expect(html.includes('of 72 hours left')).toBe(hasCells)
  expect(html.includes('one cell per hour')).toBe(hasCells)
})

test('SubscriptionCard: announces the end of the plan 60, 15, 5 and 1 minutes before it, and not each minute', () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const endMs = Date.now() + 62 * MINUTE_MS
  const times = { startTime: new Date().toISOString(), endTime: new Date(endMs).toISOString() }
  const client = createQueryClient()
  const subscription = { planType: '3d', tokenAmount: '1', ...times, isActive: true }
  client.setQueryData(queries.activeSubscription('u-1').queryKey, subscription as Subscription)
  render(
    <QueryClientProvider client={client}>
      <SubscriptionCard />
    </QueryClientProvider>,
  )
  const announcements = new Set<string | null>()
  for (let minutesLeft = 61.5; minutesLeft > 0; minutesLeft -= 1) {
    vi.setSystemTime(endMs - minutesLeft * MINUTE_MS)
    act(() => void vi.advanceTimersByTime(1_000))
    announcements.add(screen.getByRole('status').textContent)
  }
  const lengths = ['an hour', '15 minutes', '5 minutes', 'a minute']
  expect([...announcements]).toEqual(['', ...lengths.map((length) => `The plan ends in less than ${length}.`)])
})

test('SubscriptionCard: offers to try again when the subscription cannot be loaded', async () => {
  let status = 503
  vi.stubGlobal('fetch', async () => new Response(status === 503 ? '{}' : 'null', { status }))
  const client = createQueryClient()
  client.setDefaultOptions({ queries: { retry: false } })
  render(
    <QueryClientProvider client={client}>
      <SubscriptionCard />
    </QueryClientProvider>,
  )
  await expect.poll(() => screen.queryByText('The subscription could not be loaded.')).not.toBeNull()
  expect(screen.queryByText('Inactive')).toBeNull()
  status = 200
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(() => screen.queryByText('Inactive')).not.toBeNull()
})
