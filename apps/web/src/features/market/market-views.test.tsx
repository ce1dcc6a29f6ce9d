import type { MarketCandles } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Prediction } from '../prediction/prediction-names.ts'
import { createCurrentPrice } from './current-price.ts'
import { computeEndPrice } from './end-price.tsx'
import { ProgressView } from './prediction-progress.tsx'
import { PriceView } from './price-figures.tsx'

const extractWords = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const issuePrice = { price: '2921.4', quote: 'USDT', venue: 'binance', market: 'ETHUSDT' }
const seenPrice = { price: '2871.64', atMs: Date.now() - 250_000 }
const getView = (...[, price, isOld]: [string, typeof seenPrice | null, boolean]) =>
  extractWords(
    renderToStaticMarkup(
      <PriceView issue={issuePrice} end={null} current={createCurrentPrice(issuePrice, price, isOld)} />,
    ),
  )

test('price figures: show only the price at issue when there is no source of current prices', () => {
  expect(getView('none', null, false)).toBe(
    'Price at issue 2,921.40 ETHUSDT on Binance, in USDT. The price at issue is part of the signed message.',
  )
})

test('price figures: name the age of an old price and compute no change from it', () => {
  const text = getView('old', seenPrice, true)
  expect(text).toContain('Last price, 4 min ago 2,871.64')
  expect(text).not.toMatch(/Now|Since|−/)
})

test('price figures: name no age of an old price when its time is in the future', () => {
  const text = getView('old', { ...seenPrice, atMs: Date.now() + 600_000 }, true)
  expect(text).toContain('Last price 2,871.64')
})

test('price figures: show the price now and the change since issue', () => {
  expect(getView('now', { ...seenPrice, atMs: Date.now() }, false)).toMatch(
    /^Price at issue 2,921.40 Now 2,871.64 Since issue ↓ −1.70% ETHUSDT on Binance.*; the last trade was at /,
  )
})

const prediction: Prediction = {
  ...{ metric: 'maxExcursion', comparison: 'gte', threshold: 1.4, venue: 'binance', market: 'ETHUSDT' },
  ...{ candleSeconds: 60, startsAt: '2026-03-02T13:58:00.000Z', horizonSeconds: 3_600 },
  resolveBy: '2026-03-02T15:13:00.000Z',
}
const measuredUntil = '2026-03-02T14:25:00.000Z'

test.each([
  [
    { reference: null, measured: '0.48', reachedAt: null, until: measuredUntil },
    '0.48% of 1.40% until 14:25:00; verdict at 14:58:00',
  ],
  [
    { reference: null, measured: '1.3999', reachedAt: null, until: measuredUntil },
    '1.3999% of 1.4000% until 14:25:00; verdict at 14:58:00',
  ],
  [
    { reference: null, measured: '1.460457475813', reachedAt: '2026-03-02T14:21:00.000Z', until: measuredUntil },
    'Reached 1.40% at 14:21:00, 1.46% until 14:25:00; verdict at 14:58:00',
  ],
  [
    { reference: null, measured: '1.5', reachedAt: '2026-03-02T14:21:00.000Z', until: '2026-03-02T14:58:00.000Z' },
    'Reached 1.40% at 14:21:00, 1.50% until 14:58:00; the verdict follows',
  ],
])('progress of a prediction: shows the move measured so far and no verdict: %o', (progress, sentence) => {
  const text = extractWords(renderToStaticMarkup(<ProgressView prediction={prediction} progress={progress} />))
  expect(text.startsWith(sentence), text).toBe(true)
  expect(text).toContain('Computed from the trades that this site has received from the start until')
  expect(text).not.toMatch(/came true|did not|not true/i)
})

test('progress of a prediction: the bar uses the percentages of the text when the metric is a variance', () => {
  const variancePrediction = { ...prediction, metric: 'realisedVariance' as const, threshold: 0.0729 }
  const progress = { reference: null, measured: '0.0361', reachedAt: null, until: measuredUntil }
  const html = renderToStaticMarkup(<ProgressView prediction={variancePrediction} progress={progress} />)
  expect(extractWords(html)).toContain('0.19% of 0.27% until')
  expect(Number(/width="([\d.]+)%" height="4" class="fill-text-1"/.exec(html)?.[1])).toBeCloseTo((100 * 0.19) / 0.27)
})

/** Open time in seconds of the last minute of the horizon. Its candle closes at 2,871.64. */
const lastMinute = Date.parse('2026-03-02T14:57:00.000Z') / 1_000
const createCandlesUntil = (openSeconds: number) => ({
  candles: [[openSeconds, '2900', '2901', '2870', '2871.64', '5']] satisfies MarketCandles['candles'],
})

test.each([
  ['there is no outcome', prediction, issuePrice, null],
  ['the last candle of the horizon is missing', prediction, issuePrice, createCandlesUntil(lastMinute - 60)],
  ['the message names no price', prediction, null, createCandlesUntil(lastMinute)],
  ['the price is of another venue', prediction, { ...issuePrice, venue: 'okx' }, createCandlesUntil(lastMinute)],
  ['the price is of another market', prediction, { ...issuePrice, market: 'ETHBTC' }, createCandlesUntil(lastMinute)],
  [
    'the prediction is about two markets',
    { ...prediction, metric: 'spread' as const },
    issuePrice,
    createCandlesUntil(lastMinute),
  ],
  ['there is no prediction', undefined, issuePrice, createCandlesUntil(lastMinute)],
])('price at the end of a prediction: is unknown when %s', (_, of, at, message) => {
  expect(computeEndPrice({ prediction: of }, at, message)).toBeNull()
})

test('price figures: show the change from issue to the end of the prediction', () => {
  const endPrice = computeEndPrice({ prediction }, issuePrice, createCandlesUntil(lastMinute))
  expect(endPrice).toMatchObject({ price: '2871.64', atMs: Date.parse('2026-03-02T14:58:00.000Z') })
  const view = <PriceView issue={issuePrice} end={endPrice} current={createCurrentPrice(issuePrice, null, false)} />
  expect(extractWords(renderToStaticMarkup(view))).toContain('Price at issue 2,921.40 Until 14:58:00 ↓ −1.70% ETHUSDT')
})
