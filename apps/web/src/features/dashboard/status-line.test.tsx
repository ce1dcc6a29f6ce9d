import { QueryClientProvider } from '@tanstack/react-query'
import { getPlan, type PlanId, type PublicConfig, type Subscription, type SystemStatus } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { MarketCell, PlanCell, TrackRecordCell } from './status-line.tsx'

const screen = vi.hoisted(() => ({ isWide: true }))
vi.mock('../../ui/media-query.ts', () => ({ useMediaQuery: () => screen.isWide }))

beforeEach(() => {
  screen.isWide = true
})

const renderCell = (cell: ReactNode, config: Demo) => {
  const client = createQueryClient()
  client.setQueryData(queries.config.queryKey, config as PublicConfig)
  client.setQueryData(queries.status.queryKey, { measured: { successRate: 39.81, successSample: 412 } } as SystemStatus)
  const html = renderToStaticMarkup(<QueryClientProvider client={client}>{cell}</QueryClientProvider>)
  return html.replace(/<[^>]*>/g, '')
}

type Demo = Pick<PublicConfig, 'demo' | 'demoMarket'>

test.each<[Demo, string]>([
  [{ demo: false }, ''],
  [{ demo: true, demoMarket: 'simulated' }, 'Simulated market'],
  [{ demo: true, demoMarket: 'live' }, 'Live market, demo log'],
])('MarketCell: with %j it says "%s"', (config, words) => {
  expect(renderCell(<MarketCell />, config)).toBe(words)
})

test.each<[Demo, string]>([
  [{ demo: false }, 'Record39.8% came true, n 412'],
  [{ demo: true, demoMarket: 'simulated' }, 'Record39.8% came true, demo, n 412'],
  [{ demo: true, demoMarket: 'live' }, 'Record39.8% came true, demo, n 412'],
])('TrackRecordCell: with %j it says "%s"', (config, words) => {
  // The text includes what CSS hides: 'came' and 'n 412' on phones, and 'demo' on wider screens.
  expect(renderCell(<TrackRecordCell />, config)).toBe(words)
})

test('TrackRecordCell: does not say that nothing is measured while the status is unknown', () => {
  const cell = (
    <QueryClientProvider client={createQueryClient()}>
      <TrackRecordCell />
    </QueryClientProvider>
  )
  expect(renderToStaticMarkup(cell).replace(/<[^>]*>/g, '')).toBe('Record—')
})

/** Renders the cell for a subscription of `hours` hours that ends in `leftMs`. */
function renderPlan(planType: PlanId, leftMs: number, hours = getPlan(planType).hours): string {
  const client = createQueryClient()
  client.setQueryData(queries.currentUser.queryKey, { success: true, user: { id: 'u-1' } as never })
  const endTime = new Date(Date.now() + leftMs).toISOString()
  const startTime = new Date(Date.parse(endTime) - hours * HOUR_MS).toISOString()
  const subscription = { planType, startTime, endTime, isActive: true }
  client.setQueryData(queries.activeSubscription('u-1').queryKey, subscription as Subscription)
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <PlanCell />
      </AuthProvider>
    </QueryClientProvider>,
  )
}
const extractText = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
const minute = 60_000

test('PlanCell: shows an hour cell for each hour of the plan, and the remaining time', () => {
  const html = renderPlan('3d', 1_000 * minute)
  expect(extractText(html)).toMatch(/Plan 3 days 16:\d\d :\d\d left /)
  expect(extractText(html)).not.toContain('ends')
  expect(html.match(/fill-cell-spent/g)).toHaveLength(72)
  // Each hour is one pixel wide, because the line has no space for more.
  expect(html).toContain('viewBox="0 0 147 12"')
})

test('PlanCell: shows no hour cells when the screen is narrower than 1,600 px', () => {
  screen.isWide = false
  const html = renderPlan('3d', 1_000 * minute)
  expect(extractText(html)).toMatch(/Plan 3 days 16:\d\d :\d\d left /)
  expect(html).not.toContain('fill-cell-spent')
})

test('PlanCell: shows no hour cells when the subscription was extended beyond the length of its plan', () => {
  expect(renderPlan('6h', 5 * HOUR_MS, 6)).toContain('<svg')
  const html = renderPlan('6h', 173 * HOUR_MS, 174)
  expect(extractText(html)).toMatch(/Plan 6 hours 7 d 0[45]:\d\d :\d\d left /)
  expect(html).not.toContain('<svg')
})

test('PlanCell: shows the end time when less than an hour of the plan is left', () => {
  expect(extractText(renderPlan('6h', 41 * minute))).toMatch(
    /Plan 6 hours 00:4\d:\d\d left , ends (\d+ \w+ )?\d\d:\d\d:\d\d/,
  )
})
