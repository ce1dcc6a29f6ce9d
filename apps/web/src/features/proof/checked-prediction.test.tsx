import { QueryClientProvider } from '@tanstack/react-query'
import type { Alert } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { CheckedPrediction } from './checked-prediction.tsx'

type CheckedAlert = Parameters<typeof CheckedPrediction>[0]['checked']

const leafHash = `0x${'16'.repeat(32)}`
const knownAlert = {
  ...{ id: 'a-41', logIndex: 41, leafHash, anomalyType: 'Price move', confidence: 43.5, origin: 'feed' },
  ...{ createdAt: '2026-03-02T14:30:00.688Z', anchoredAt: '2026-03-02T14:30:04.000Z', supersededBy: null },
  prediction: {
    ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1.4, venue: 'kraken', market: 'BTC/USD' },
    ...{ candleSeconds: 60, horizonSeconds: 3600 },
    ...{ startsAt: '2026-03-02T14:31:00.000Z', resolveBy: '2026-03-02T15:46:00.000Z' },
  },
  outcome: {
    ...{ logIndex: 57, verdict: 'came-true', measured: '1.460457475813', messageHash: '0xabc' },
    createdAt: '2026-03-02T15:32:04.000Z',
  },
} as Alert

function renderPrediction(alertAndVerdict: { leafHash: string; verdict: string }): string {
  const client = createQueryClient()
  client.setQueryData(queries.recentAlerts.queryKey, [knownAlert])
  const { verdict, ...alert } = alertAndVerdict
  const checkedAlert = { alert: { id: 'a-41', logIndex: 41, ...alert }, findings: { verdict } } as CheckedAlert
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <CheckedPrediction checked={checkedAlert} className="" />
    </QueryClientProvider>,
  )
  return html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
}

test('CheckedPrediction: shows the outcome of the checked alert and labels the outcome as a statement of this site', () => {
  const text = renderPrediction({ leafHash, verdict: 'verified' })
  expect(text).toMatch(/Prediction and outcome .*Came true .*Expected a further move of 1\.4.* measured 1\.46/)
  expect(text).toContain('The outcome is log entry #57')
  expect(text).toContain('These are statements of this site.')
})

test.each([
  ['the pasted alert is another one at the same index', { leafHash: `0x${'17'.repeat(32)}`, verdict: 'verified' }],
  ['the check failed', { leafHash, verdict: 'failed' }],
])('CheckedPrediction: shows nothing when %s', (_, alertAndVerdict) => {
  expect(renderPrediction(alertAndVerdict)).toBe('')
})
