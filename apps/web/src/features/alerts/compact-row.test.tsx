// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { type Alert, defaultPreferences } from '@tocsin/protocol'
import type { ComponentProps } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import type { Prediction } from '../prediction/prediction-names.ts'
import { CompactRow } from './compact-row.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const prediction: Prediction = {
  ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1.1, candleSeconds: 60, horizonSeconds: 300 },
  ...{ venue: 'binance', market: 'ETHUSDT' },
  ...{ startsAt: '2026-11-21T14:01:00.000Z', resolveBy: '2026-11-21T14:30:00.000Z' },
}

function renderRow(change: Partial<Alert>, props: Partial<ComponentProps<typeof CompactRow>> = {}) {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  const alert = getAlert(1, { prediction, ...change })
  const entry = { id: alert.id, alert, isRead: true }
  return render(
    <QueryClientProvider client={client}>
      <CompactRow entry={entry} layout="line" rowPx={45} isOpen={false} onToggle={() => {}} {...props} />
    </QueryClientProvider>,
  )
}

test('CompactRow: truncates the asset, not the horizon, when a phone has too little space for both', () => {
  renderRow({}, { layout: 'stacked' })
  expect(screen.getByText('ETH/USDT', { ignore: ':not(.truncate)' })).toBeDefined()
  const horizon = screen.getByText('5 min')
  expect(horizon.classList).toContain('phone:shrink-0')
  expect(horizon.parentElement?.classList).toContain('phone:flex')
})

const clause = 'Price fell 1.23% in 4 min on 5.3× usual volume'
const summary = `${clause}; 7.1× its usual move; largest since records began; 71% of volume sold by takers`
test.each([
  ['compact', 'the first clause', clause, 'line-clamp-2'],
  ['line', 'the whole summary', summary, 'line-clamp-3'],
  ['tablet', 'the whole summary', summary, 'line-clamp-2'],
  ['stacked', 'the whole summary', summary, 'line-clamp-3'],
] as const)(
  'CompactRow: in the layout "%s" shows %s and the direction of the price',
  (layout, _what, shownText, lines) => {
    const { container } = renderRow({ summary }, { layout })
    const text = container.querySelector('[data-field=summary]')
    expect(text?.textContent?.replaceAll('\u00a0', ' ')).toBe(shownText)
    expect(text?.getAttribute('title')).toBe(summary)
    expect(text?.classList).toContain(lines)
    expect(screen.getByText('↓')).toBeDefined()
  },
)

test('CompactRow: shows the day only if the row is not under the heading of its day', () => {
  const day = () => screen.getByText('21 Nov').classList
  renderRow({}, {})
  expect(day()).toContain('sr-only')
  cleanup()
  renderRow({}, { showsDay: true })
  expect(day()).not.toContain('sr-only')
})
