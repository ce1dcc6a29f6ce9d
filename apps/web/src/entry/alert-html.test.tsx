import { hashSignal } from '@tocsin/proof'
import type { Alert, AlertAt } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { AlertView, type ReadablePage } from '../features/shared-alert/alert-view.tsx'
import { renderAlert, renderAlertCard, renderEmbed } from './alert-html.tsx'

const createHash = (digit: string) => `0x${digit.repeat(64)}`
const issuedAt = '2026-11-22T13:58:02.000Z'
const nowMs = Date.parse('2026-11-24T00:00:00.000Z')

const createAlert = (change: Partial<Alert> = {}): Alert => ({
  id: 'a-1',
  kind: 'alert',
  asset: 'ETH/USDT',
  priority: 'critical',
  summary: 'Price fell 1.2% in 4 min on 5.3× usual volume',
  confidence: 58,
  regime: 'Turbulent',
  anomalyType: 'Price move',
  createdAt: issuedAt,
  origin: 'feed',
  signalHash: createHash('1'),
  targetIndex: null,
  targetLeafHash: null,
  signer: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  signature: `0x${'1b'.repeat(65)}`,
  logIndex: 2488,
  leafHash: createHash('2'),
  merklePath: [],
  treeSize: 2489,
  root: createHash('3'),
  avalancheTx: createHash('4'),
  anchoredAt: '2026-11-22T13:58:05.000Z',
  supersededBy: null,
  prediction: {
    metric: 'maxExcursion',
    comparison: 'gte',
    threshold: 1.4,
    venue: 'binance',
    market: 'ETHUSDT',
    candleSeconds: 60,
    startsAt: '2026-11-22T13:59:00.000Z',
    horizonSeconds: 3600,
    resolveBy: '2026-11-22T15:14:00.000Z',
  },
  outcome: {
    logIndex: 2492,
    verdict: 'came-true',
    measured: '1.46',
    createdAt: '2026-11-22T15:00:00.000Z',
    messageHash: createHash('5'),
  },
  ...change,
})

const createPage = (change: Partial<Alert> = {}, access: 'public' | 'shared' = 'public'): AlertAt => ({
  access,
  publicAt: '2026-11-23T13:58:02.000Z',
  bundle: {
    format: 'tocsin-proof',
    version: 1,
    anchor: { chainId: 43_114, contract: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', rpcUrl: null },
    firstSigner: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    keys: [],
    alert: createAlert(change),
  },
  message: null,
  outcomeMessage: null,
})

const withheldPage: AlertAt = {
  access: 'withheld',
  priority: 'high',
  createdAt: issuedAt,
  logIndex: 2488,
  leafHash: createHash('2'),
  publicAt: '2026-11-23T13:58:02.000Z',
}

const extractWords = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

test.each([
  ['a public alert', createPage({ summary: '<script>alert(1)</script>', asset: '"<b>' })],
  ['an alert without a prediction', createPage({ prediction: undefined, outcome: undefined })],
  ['an alert that is not public', withheldPage],
])('renderAlert: has no script, style attribute or unescaped text of a feed for %s', (_name, alertPage) => {
  const { html } = renderAlert(alertPage, nowMs)
  expect(html).not.toMatch(/ style="|<script|<b>/)
})

test('renderAlert: contains statement, time, figures, prediction and outcome', () => {
  const { html, title, description } = renderAlert(createPage(), nowMs)
  const text = extractWords(html)
  for (const expected of [
    'Critical ETH/USDT Price move, 60 min #2,488',
    'Price fell 1.2% in 4 min on 5.3×',
    '22 Nov 2026 13:58:02 UTC',
    'Turbulent Signed Your browser verifies',
    'Came true judged by the candles',
    'Expected a further move of 1.40% or more, up or down, within 60 min from the price at 13:59:00; measured 1.46%.',
    'Confidence 58.0% of a further 1.40% or more, up or down, in 60 min Anchored 3.0 s after issue',
  ]) {
    expect(text.replaceAll('\u00a0', ' ')).toContain(expected)
  }
  expect(title).toBe('ETH/USDT: Price fell 1.2% in 4 min on 5.3× usual volume')
  expect(description).toMatch(/^Issued 22 Nov 2026 13:58:02 UTC, anchored 3\.0 s after issue\. Expects .*: came true\./)
})

test('renderAlert: does not call the alert verified, because only the browser verifies it', () => {
  const { html } = renderAlert(createPage(), nowMs)
  expect(html).not.toContain('Verified')
  expect(html).toContain('Proof: Signed')
})

test.each([
  ['correction', 'Corrected by', 'Corrected since.'],
  ['retraction', 'Retracted by', 'Retracted since.'],
] as const)('renderAlert: names the %s that refers to the alert', (kind, word, descriptionText) => {
  const { html, description } = renderAlert(
    createPage({ supersededBy: { logIndex: 2500, id: 'locked-2500', kind } }),
    nowMs,
  )
  expect(extractWords(html)).toContain(`${word} #2,500`)
  expect(html).toContain('href="/a/2500"')
  expect(description).toContain(descriptionText)
})

test('renderAlert: says when a withheld alert becomes public, and omits its content', () => {
  const { html, title, description } = renderAlert(withheldPage, nowMs)
  expect(extractWords(html)).toContain('Public from 23 Nov 2026 13:58:02 UTC')
  expect(html).toContain(createHash('2'))
  expect([title, description.slice(0, 22)]).toEqual(['Alert #2,488', 'A signed market alert '])
})

const { prediction: binancePrediction, outcome: trueOutcome } = createAlert()

test.each([
  ['a simulated market', { prediction: { ...binancePrediction, venue: 'simulated' } }, ['Simulated market']],
  ['a wrong prediction', { outcome: { ...trueOutcome, verdict: 'did-not', measured: '0.9' } }, ['Did not come true']],
  [
    'came true',
    {},
    [
      'ETH/USDT',
      'Price move',
      '#2,488',
      '3.0 s later',
      'NEXT 60 MIN: 1.40% EXPECTED',
      'Came true',
      'measured 1.46%, 58.0% confident',
    ],
  ],
  [
    'a retraction',
    { supersededBy: { logIndex: 2500, id: 'locked-2500', kind: 'retraction' } },
    ['Retracted by #2,500'],
  ],
  ['no anchor yet', { avalancheTx: null, anchoredAt: null, root: null }, ['not yet', 'stroke-dasharray']],
  ['hostile texts', { summary: '<b>&\u0000\u0007</b>', asset: '</text>' }, ['&lt;b&gt;&amp;', '&lt;/text&gt;']],
] as [name: string, change: Partial<Alert>, expected: string[]][])(
  'renderAlertCard: is valid XML that shows an alert with %s',
  (_name, change, expected) => {
    const svg = renderAlertCard(createAlert(change), nowMs)
    for (const expectedText of expected) expect(svg).toContain(expectedText)
    // XML allows no control characters except tab, line feed and carriage return.
    expect(svg).not.toMatch(/[^\P{Cc}\t\n\r]|<b>|href|url\(/u)
  },
)

/** A signal message that contains the market price at the time of the signal. */
const pricedMessage = JSON.stringify({
  ...{ id: 's-1', asset: 'ETH/USDT', anomalyType: 'Price move', confidence: 58, regime: 'Turbulent' },
  ...{ summary: 'Price fell', priority: 'critical', observedAt: issuedAt },
  ...{ price: '2921.40', quote: 'USDT', venue: 'binance', prediction: createAlert().prediction },
})

test('renderAlert: shows the price at issue from the feed message only if the message has the signed hash', () => {
  const render = (signalHash: string | null) =>
    extractWords(renderAlert({ ...createPage({ signalHash }), message: pricedMessage } as AlertAt, nowMs).html)
  expect(render(hashSignal(pricedMessage))).toContain('Price at issue 2,921.40 ETHUSDT on Binance')
  expect(render(createHash('1'))).not.toContain('2,921')
  expect(render(null)).not.toContain('2,921')
})

test('renderEmbed: the accessible name of the chart contains the measured values', () => {
  const series = { values: [0.8, 1, 0.9, 4.1], triggerIndex: 3, stepSeconds: 60, unit: '×', mean: 1, deviation: 0.1 }
  const message = JSON.stringify({ ...JSON.parse(pricedMessage), series })
  const { html } = renderEmbed({ ...createPage({ signalHash: hashSignal(message) }), message } as AlertAt, nowMs)
  const sentence = '4.1× at the alert, usually 0.8× to 1.2×; minimum 0.8×, maximum 4.1× of 4 values.'
  expect(html).toContain(`aria-label="Measurements around the alert: ${sentence}"`)
})

/** An outcome message in which the price falls by 1.5 %. */
const outcomeMessageText = JSON.stringify({
  candles: [
    [Date.parse('2026-11-22T13:58:00.000Z') / 1000, '2950', '2951', '2920', '2921', '8'],
    [Date.parse('2026-11-22T13:59:00.000Z') / 1000, '2921', '2922', '2870', '2877.2', '9'],
  ],
  missing: [],
  voidReason: null,
})
/**
 * Renders the embed of an alert whose feed message is `pricedMessage` and whose outcome has this
 * message hash. The embed gets `message` as the outcome message.
 */
const renderEmbedWith = (
  messageHash: string,
  verdict: 'came-true' | 'did-not' = 'came-true',
  message = outcomeMessageText,
) => {
  const outcome = { logIndex: 2492, verdict, measured: '1.5', createdAt: '2026-11-22T15:00:00.000Z', messageHash }
  const embedPage = {
    ...createPage({ signalHash: hashSignal(pricedMessage), outcome }),
    message: pricedMessage,
    outcomeMessage: message,
  } as AlertAt
  return renderEmbed(embedPage, nowMs).html
}

test('renderEmbed: draws the candles of the outcome message, with their figures as accessible name', () => {
  const html = renderEmbedWith(hashSignal(outcomeMessageText))
  expect(html).toContain(
    'aria-label="ETH/USDT, one-minute candles of Binance. Issued at 13:58:02, at a price of 2,921.40, threshold ±1.40% of 2,921.00. Since then: high 2,951.00, low 2,870.00, last close 2,877.20. Greatest move −1.50%. Times in UTC."',
  )
  expect(html).toMatch(/>2,921\.40<.*>2,877\.20</)
  // The content security policy of the embed forbids style attributes.
  expect(html).not.toContain(' style="')
})

test('renderEmbed: shows price and venue, verdict, measured move, end price, and the prediction that the confidence refers to', () => {
  const endCandle = [Date.parse('2026-11-22T14:58:00.000Z') / 1000, '2880', '2882', '2870', '2871.64', '9'] as const
  const message = JSON.stringify({
    ...JSON.parse(outcomeMessageText),
    candles: [...JSON.parse(outcomeMessageText).candles, endCandle],
  })
  expect(extractWords(renderEmbedWith(hashSignal(message), 'came-true', message))).toContain(
    'Price fell 1.2% in 4 min on 5.3× usual volume Price at issue 2,921.40 on Binance',
  )
  expect(extractWords(renderEmbedWith(hashSignal(message), 'came-true', message))).toContain(
    '58.0% confident of a further 1.40% or more, up or down, in 60 min Came true : 1.50% down until 14:59:00 ↓ −1.70%',
  )
  expect(extractWords(renderEmbed(createPage({ prediction: undefined, outcome: undefined }), nowMs).html)).toContain(
    'Confidence 58.0%',
  )
})

test('renderEmbed: draws no candles when the outcome message does not have the hash in the outcome entry', () => {
  const html = renderEmbedWith(createHash('5'))
  expect(html).not.toMatch(/candles|2,877/)
})

test('renderEmbed: shows when the verdict of an open prediction is due, and hides the “Check again” button', () => {
  const openPage = createPage({ outcome: undefined }, 'shared')
  const render = (clock: string) => extractWords(renderEmbed(openPage, Date.parse(`2026-11-22T${clock}Z`)).html)
  expect(render('14:00:00')).toContain(
    '58.0% confident of a further 1.40% or more, up or down, in 60 min Open verdict after 22 Nov 14:59:00 UTC',
  )
  expect(render('15:00:00')).toContain('Open verdict due by 22 Nov 15:14:00 UTC')
  expect(renderEmbed(openPage, nowMs).html).toMatch(/<button[^>]*hidden/)
  expect(render('16:00:00')).not.toMatch(/verdict/)
})

test('AlertView: shows the change since issue only when the current price is known', () => {
  const last = [Date.parse('2026-11-22T14:58:00.000Z') / 1000, '2901', '2902', '2900', '2901.10', '9']
  const outcomeMessage = JSON.stringify({ candles: [last], missing: [], voidReason: null })
  const outcome = { ...trueOutcome, messageHash: hashSignal(outcomeMessage) }
  const pageWithOutcome = createPage({ signalHash: hashSignal(pricedMessage), outcome } as Partial<Alert>)
  // The cast is safe: `createPage` returns a page that is not withheld.
  const readablePage = { ...pageWithOutcome, message: pricedMessage, outcomeMessage } as ReadablePage
  const render = (since: { price: string; change: number } | null) =>
    extractWords(renderToStaticMarkup(<AlertView page={readablePage} prediction="It comes true" since={since} />))
  expect(render({ price: '2871.64', change: -1.7034 })).toContain(
    'It comes true Price at issue 2,921.40 ETHUSDT on Binance Until 14:59:00 ↓ −0.69% since issue, to 2,901.10 Since issue ↓ −1.70% now 2,871.64 Confidence 58.0%',
  )
  expect(render(null)).toContain(
    'since issue, to 2,901.10 Confidence 58.0% of a further 1.40% or more, up or down, in 60 min Anchored 3.0 s after issue',
  )
  expect(render(null)).not.toMatch(/now|Since issue/)
})
