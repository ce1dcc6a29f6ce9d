import { QueryClientProvider } from '@tanstack/react-query'
import type { Alert, MarketCandles } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createExampleRecord } from '../../../test/support/example-record.ts'
import { createQueryClient } from '../../api/queries.ts'
import { OutcomeTag } from './outcome-tag.tsx'
import { CalibrationNote } from './prediction-panel.tsx'
import { recordQueries } from './record-queries.ts'

const prediction: NonNullable<Alert['prediction']> = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.4,
  venue: 'kraken',
  market: 'BTC/USD',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 3600,
  resolveBy: '2026-03-02T15:46:00.000Z',
}
const issuedAlert = {
  createdAt: '2026-03-02T14:30:00.688Z',
  anchoredAt: '2026-03-02T14:30:04.000Z',
  supersededBy: null,
}
type Outcome = NonNullable<Alert['outcome']>
const createOutcome = (verdict: Outcome['verdict'], change: Partial<Outcome> = {}): Outcome => ({
  logIndex: 2492,
  verdict,
  measured: verdict === 'void' ? null : '1.460457475813',
  createdAt: '2026-03-02T15:32:04.000Z',
  messageHash: '0xabc',
  ...change,
})

/** The reference candle, and a first minute in which the price falls by 1.46 %. */
const candles: MarketCandles['candles'] = [
  [Date.parse('2026-03-02T14:30:00.000Z') / 1000, '61000', '61300', '61000', '61204.11', '8'],
  [Date.parse('2026-03-02T14:31:00.000Z') / 1000, '61204', '61204', '60310', '60310.6', '9'],
]

const extractWords = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-02T15:00:00.000Z') })
  vi.resetModules()
})
afterEach(() => {
  vi.useRealTimers()
})

/**
 * Renders the panel at the given time. Imports it after setting the clock, because ui/now.ts reads
 * the time when it is imported.
 */
async function renderAt(part: Partial<Alert>, now: string) {
  vi.setSystemTime(Date.parse(`2026-03-02T${now}Z`))
  const { PredictionView } = await import('./prediction-panel.tsx')
  const alert = {
    prediction,
    origin: 'feed',
    anomalyType: 'Price move',
    confidence: 43,
    ...issuedAlert,
    ...part,
  } as const
  const message = part.outcome
    ? ({ candles, voidReason: 'missing-candles', missing: [1_772_462_460, 1_772_462_520] } as const)
    : null
  const confidenceText = 'such predictions came true 43 of 100 times'
  return extractWords(renderToStaticMarkup(<PredictionView {...{ alert, prediction, message, confidenceText }} />))
}

const verdictLabels = /Came true|Did not come true|Void|Overdue|late/

test.each([
  ['14:30:30', 'starts at', 'starts in 00:30'],
  ['14:53:43', 'ends at', 'verdict in 37:17'],
  ['15:40:00', 'verdict due by', 'verdict due in 06:00'],
])('PredictionView: at %s shows an open prediction and a countdown, no verdict', async (now, until, remainingText) => {
  const text = await renderAt({}, now)
  expect(text).toContain('Open')
  expect(text).toContain(until)
  expect(text).toContain(remainingText)
  expect(text).toContain(
    'Expects a further move of 1.40% or more, up or down, within 60 min from the price at 14:31:00. Such predictions came true 43',
  )
  expect(text).not.toMatch(verdictLabels)
})

test.each<[now: string, part: Partial<Alert>, word: string, detail: string]>([
  ['15:46:01', {}, 'Overdue', 'No verdict is in the log'],
  [
    '16:00:00',
    { outcome: createOutcome('came-true') },
    'Came true',
    'from 61,204.11 at 14:31:00; measured 1.46% down.',
  ],
  [
    '16:00:00',
    { outcome: createOutcome('did-not', { measured: '0.37' }) },
    'Did not come true',
    'measured 0.37% down.',
  ],
  ['16:00:00', { outcome: createOutcome('void') }, 'Void', 'Kraken published no candles from 14:41:00 to 14:43:00.'],
  [
    '16:00:00',
    { outcome: createOutcome('came-true', { createdAt: '2026-03-02T15:50:00.000Z' }) },
    'Overdue',
    'The verdict “Came true” came after the deadline',
  ],
  [
    '16:00:00',
    { outcome: createOutcome('came-true'), anchoredAt: '2026-03-02T14:40:00.000Z' },
    'Anchored late counted as not true',
    'anchored 9 min after the start, and at most 6 min are allowed, so the verdict “Came true” does not count.',
  ],
  ['15:46:01', { anchoredAt: null }, 'Anchored late', 'The alert is not anchored yet, and at most 6 min are allowed.'],
  [
    '16:00:00',
    {
      outcome: createOutcome('did-not', { measured: '0.37' }),
      supersededBy: { logIndex: 2500, id: 'later', kind: 'correction' },
    },
    'Did not come true',
    'Corrected by entry #2,500, which changes nothing here: the first statement counts.',
  ],
  [
    '14:40:00',
    { supersededBy: { logIndex: 2500, id: 'later', kind: 'retraction' } },
    'Open',
    'Retracted by entry #2,500, which changes nothing here: the first statement counts.',
  ],
  [
    '16:00:00',
    { outcome: createOutcome('came-true'), laterOutcomes: [createOutcome('did-not', { logIndex: 2600 })] },
    'Came true',
    'by entry #2,600 the verdict is “ Did not come true ”. The first outcome counts.',
  ],
])('PredictionView: at %s with %j it says %s', async (now, part, word, detail) => {
  const text = await renderAt(part, now)
  expect(text.startsWith(word)).toBe(true)
  expect(text.replace(/“ ?(.*?) ?”/g, '“$1”')).toContain(detail.replace('“ Did not come true ”', '“Did not come true”'))
})

test.each<[string, Partial<Alert>, string[]]>([
  ['the time of the verdict of a prediction', { outcome: createOutcome('came-true') }, ['verdict 15:32:04']],
  ['no time of a verdict for an overdue prediction', {}, []],
  ['no time of a verdict for an alert that is not anchored', { anchoredAt: null }, []],
])('PredictionView: shows %s', async (_what, part, times) => {
  expect((await renderAt(part, '15:46:01')).match(/verdict [\d:]+/g) ?? []).toEqual(times)
})

test('OutcomeTag: is an empty square without a prediction, and has text for screen readers when compact', () => {
  const emptyTagHtml = renderToStaticMarkup(<OutcomeTag alert={issuedAlert} />)
  expect(extractWords(emptyTagHtml)).toBe('No prediction')
  expect(emptyTagHtml.match(/<(rect|path)/g)).toEqual(['<rect'])
  expect(renderToStaticMarkup(<OutcomeTag compact alert={issuedAlert} />)).toContain('sr-only">No prediction<')
  const html = renderToStaticMarkup(
    <OutcomeTag compact alert={{ ...issuedAlert, prediction, outcome: createOutcome('came-true') }} />,
  )
  expect(html).toContain('<span class="sr-only">Came true</span>')
})

test.each([
  ['14:30:30.000', 'Open 60:30 left'],
  ['15:30:30.000', 'Open 00:30 left'],
  ['15:45:30.000', 'Open verdict due'],
])('OutcomeTag: at %s it says "%s"', (now, expected) => {
  vi.useFakeTimers({ now: new Date(`2026-03-02T${now}Z`) })
  expect(extractWords(renderToStaticMarkup(<OutcomeTag alert={{ ...issuedAlert, prediction }} />))).toBe(expected)
})

test.each([
  [37, '<span class="mt-0.5 block font-sans text-hint text-2">not calibrated yet (37 outcomes)</span>'],
  [150, ''],
])('CalibrationNote: after %i outcomes it renders "%s"', (resolved, expected) => {
  const record = createExampleRecord()
  record.calibration.resolved = [{ model: 'engine', anomalyType: 'Price move', resolved }]
  const client = createQueryClient()
  client.setQueryData(recordQueries.record('feed').queryKey, { record })
  const model = { name: 'engine', version: '1.4.0', settingsHash: `0x${'2f'.repeat(32)}` }
  const alert = {
    ...issuedAlert,
    prediction,
    origin: 'feed',
    anomalyType: 'Price move',
    confidence: 43,
    model,
  } as const
  const html = renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <CalibrationNote alert={alert} />
    </QueryClientProvider>,
  )
  expect(html).toBe(expected)
})

test('PredictionView: shows the reference price of an open prediction when it is known from trades', async () => {
  const { PredictionView } = await import('./prediction-panel.tsx')
  const alert = { prediction, origin: 'feed', anomalyType: 'Price move', confidence: 43, ...issuedAlert } as const
  const fields = { alert, prediction, message: null, confidenceText: 'confidence 43.0%' }
  const view = <PredictionView {...fields} reference="61204.11" />
  expect(extractWords(renderToStaticMarkup(view))).toContain('within 60 min from 61,204.11 at 14:31:00')
})
