import { QueryClientProvider } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { prerender } from 'react-dom/static'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { loadSchemas } from '../alert/load-schemas.ts'
import { formatValue } from '../alert/series-texts.ts'
import { proofFindings } from '../proof/proof-findings.ts'
import { AlertSeal } from './alert-seal.tsx'
import { formatAlertCount } from './count-texts.ts'
import { DashboardRow } from './dashboard-row.tsx'
import { RowTooltip } from './row-tip.tsx'

const alert = {
  ...{ id: '1', kind: 'alert', asset: 'BTC/USDT', anomalyType: 'Price move', regime: 'Calm', priority: 'high' },
  ...{ confidence: 43.5, summary: 'Price fell 1.1 % in 5 min.', createdAt: '2026-03-02T14:30:00.688Z', logIndex: 41 },
  ...{ supersededBy: null, outcome: null, prediction: null, signalHash: null, targetIndex: null },
  ...{ leafHash: `0x${'16'.repeat(32)}`, root: null, avalancheTx: null, anchoredAt: null },
} as unknown as Alert

// The cells of a row load the schemas in several tasks, which could continue after the last test.
beforeAll(loadSchemas)
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('DashboardRow: contains the date of the alert only when the alert is not from today', () => {
  // Use a fixed time. The page's clock can be a second behind, so shortly after midnight UTC it
  // would still be on the day before the alert.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-03T12:00:00.000Z') })
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  const row = { isRead: false, rowPx: 64, isSelected: false, isTabStop: true, onSelect: () => {} }
  const getName = (createdAt: string) =>
    renderToStaticMarkup(
      <QueryClientProvider client={createQueryClient()}>
        <DashboardRow {...row} alert={{ ...alert, createdAt }} layout="comfortable" />
      </QueryClientProvider>,
    ).replace(/<[^>]*>/g, ' ')
  expect(getName('2026-03-02T14:30:00.688Z')).toMatch(/ 02 Mar\s+14:30:00 /)
  expect(getName(new Date().toISOString())).not.toMatch(/\d\d [A-Z][a-z]{2} /)
})

test('RowTooltip: shows “Proof failed” for a failed proof, otherwise the time from issue to anchor', () => {
  const anchored = { ...alert, avalancheTx: `0x${'17'.repeat(32)}`, anchoredAt: '2026-03-02T14:30:04.000Z' }
  const words = () => renderToStaticMarkup(<RowTooltip alert={anchored} />)
  expect(words()).toContain('Anchored 3.3 s after issue')
  proofFindings.add(anchored, 'The signature is of another key')
  expect(words()).toContain('Proof failed')
  expect(words()).not.toContain('Anchored')
})

test('AlertSeal: shows the result of this page’s check, or “Anchored” when the alert is unchecked or has changed', () => {
  const anchored = { ...alert, id: '2', avalancheTx: `0x${'17'.repeat(32)}`, root: `0x${'18'.repeat(32)}` }
  const words = (shownAlert: Alert) =>
    renderToStaticMarkup(<AlertSeal alert={shownAlert} size={16} variant="word" />).replace(/<[^>]*>/g, '')
  expect(words(anchored)).toBe('Anchored')
  proofFindings.add(anchored, null)
  expect(words(anchored)).toBe('Verified')
  expect(words({ ...anchored, summary: 'Another text' })).toBe('Anchored')
  proofFindings.add(anchored, 'The signature is of another key')
  expect(words(anchored)).toBe('Proof failed')
})

// The word "for" is visible only on phones.
test.each([
  ['comfortable', /Price move, 5 min Expects for ≥1\.23M/],
  ['phone', /Confidence 43\.5% Expects for ≥1\.23M/],
  // These layouts have no space for it.
  ['narrow', /^(?!.*1\.23M)/],
  ['compact', /^(?!.*1\.23M)/],
] as const)(
  'DashboardRow: in the layout "%s", the text of a row with a prediction matches %s',
  async (layout, text) => {
    vi.stubGlobal('matchMedia', () => ({ matches: false }))
    const prediction: Alert['prediction'] = {
      ...{ metric: 'volume', comparison: 'gte', threshold: 1_234_567, venue: 'binance', market: 'BTCUSDT' },
      ...{ candleSeconds: 60, horizonSeconds: 300 },
      ...{ startsAt: '2026-03-02T14:31:00.000Z', resolveBy: '2026-03-02T14:40:00.000Z' },
    }
    const row = { isRead: false, rowPx: 64, isSelected: false, isTabStop: true, onSelect: () => {} }
    const { prelude } = await prerender(
      <QueryClientProvider client={createQueryClient()}>
        <DashboardRow {...row} alert={{ ...alert, prediction }} layout={layout} />
      </QueryClientProvider>,
    )
    const words = (await new Response(prelude).text()).replace(/<!--.*?-->|<[^>]*>/g, ' ')
    expect(words.replace(/\s+/g, ' ')).toMatch(text)
  },
)

test('DashboardRow: renders without Intl, because the first use of Intl is slow on a phone', () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }))
  vi.stubGlobal('Intl', undefined)
  const groupingSpy = vi.spyOn(Number.prototype, 'toLocaleString')
  const row = { isRead: false, rowPx: 64, isSelected: false, isTabStop: true, onSelect: () => {} }
  for (const layout of ['comfortable', 'narrow', 'phone', 'compact'] as const) {
    const html = renderToStaticMarkup(
      <QueryClientProvider client={createQueryClient()}>
        <DashboardRow {...row} alert={alert} layout={layout} />
      </QueryClientProvider>,
    )
    expect(html).toContain('BTC/USDT')
  }
  expect(formatAlertCount({ count: 1_234, isMore: true })).toBe('1,234+ alerts')
  expect(formatValue(31_812_000, '$')).toBe('$31.8M')
  expect(groupingSpy).not.toHaveBeenCalled()
})
