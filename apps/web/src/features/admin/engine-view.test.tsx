import type { EngineStatus, EngineView } from '@tocsin/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it, test } from 'vitest'
import { createThresholdRows, describeMarketState, findNextAllowedAt, formatLag } from './engine-texts.ts'
import { EngineStatusView } from './engine-view.tsx'

const noCounts = [0, 0, 0]
const getStatus = (change: Partial<EngineStatus> = {}): EngineStatus => ({
  type: 'status',
  run: '00112233aabbccdd',
  startedAt: '2026-03-02T08:00:00.000Z',
  sentAt: '2026-03-02T14:31:00.000Z',
  mode: 'live',
  model: { name: 'tocsin-engine', version: '1.0.0', settingsHash: `0x${'2a'.repeat(32)}` },
  eventTime: '2026-03-02T14:30:59.200Z',
  clockSetBackMs: 0,
  messages: { waiting: 0, leftOut: 0 },
  predictions: { open: 3, due: 1, overdue: 0 },
  sources: [{ venue: 'binance', state: 'connected', connections: 2, lastEnd: 'replaced', rejected: null, refused: 0 }],
  markets: [createMarket()],
  leftOut: { markets: 0, assets: 0 },
  days: [
    { day: '2026-03-01', minutes: 1_440 },
    { day: '2026-03-02', minutes: 720 },
  ],
  assets: [createAsset('BTC/USDT'), createAsset('ETH/USDT')],
  triedThresholds: [2.6, 2.7, 2.8],
  thresholds: { price: 2.7, volume: 2.8, volatility: 2.65, marketWide: 2.8 },
  ...change,
})
const createMarket = (change: Partial<EngineStatus['markets'][number]> = {}) => ({
  market: 'binance:BTC/USDT',
  newestTradeAt: '2026-03-02T14:30:59.200Z',
  lagMs: 84,
  trades: 1_234_567,
  gapsFilled: 2,
  tradesFilled: 40,
  gapsLost: 0,
  isCatchingUp: false,
  ...change,
})
const createAsset = (asset: string, change: Partial<EngineStatus['assets'][number]> = {}) => ({
  asset,
  alerts: [1, 2],
  criticalAt: null,
  highAt: '2026-03-02T10:00:00.000Z',
  peaks: { price: [6, 3, 1], volume: noCounts, volatility: noCounts, marketWide: noCounts },
  ...change,
})
const renderView = (status: EngineStatus | null, change: Partial<EngineView> = {}) =>
  renderToStaticMarkup(
    <EngineStatusView
      view={{
        now: '2026-03-02T14:31:05.000Z',
        receivedAt: status?.sentAt ?? null,
        isSilent: false,
        status,
        ...change,
      }}
    />,
  )
const extractWords = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

describe('EngineStatusView', () => {
  it.each<[string, EngineStatus | null, Partial<EngineView>, RegExp]>([
    ['no status has come', null, {}, /No status received .*Other feeds may send no status/],
    ['the engine is silent', getStatus(), { isSilent: true }, /Silent No status since .* last known state/],
    ['a market lags', getStatus({ markets: [createMarket({ lagMs: 5_001 })] }), {}, /BTC\/USDT Lagging .*5\.0 s/],
    [
      'an exchange is not reached',
      getStatus({
        sources: [
          { venue: 'binance', state: 'connecting', connections: 1, lastEnd: 'closed', rejected: 'No such', refused: 1 },
        ],
      }),
      {},
      /Not connected .* Connecting 1 connection and 1 rejected frame or trade .* ended: closed The exchange rejected .* No such/,
    ],
    ['gaps are not filled', getStatus({ markets: [createMarket({ gapsLost: 4 })] }), {}, /Unfilled gaps 4 2 filled/],
    ['no outcome came in time', getStatus({ predictions: { open: 0, due: 0, overdue: 7 } }), {}, /Overdue outcomes 7/],
    ['signals were dropped', getStatus({ messages: { waiting: 9, leftOut: 8 } }), {}, /8 dropped: queue full/],
    ['the clock was set back', getStatus({ clockSetBackMs: 12_000 }), {}, /Set back by 12\.0 s/],
    [
      'a recording is played',
      getStatus({ mode: 'replay', sources: [], markets: [] }),
      {},
      /The engine replays a recording and has no live/,
    ],
    [
      'nothing is watched yet',
      getStatus({ days: [], assets: [] }),
      {},
      /No market has been watched.*Nothing is counted/,
    ],
    ['there are more markets', getStatus({ leftOut: { markets: 3, assets: 2 } }), {}, /3 more are .*2 more assets are/],
    ['there is one more market', getStatus({ leftOut: { markets: 1, assets: 1 } }), {}, /1 more is .*1 more asset is/],
  ])('shows that %s', (_what, status, change, expected) => {
    expect(extractWords(renderView(status, change))).toMatch(expected)
  })

  it('shows no warning when the engine runs', () => {
    const html = renderView(getStatus())
    expect(extractWords(html)).toMatch(/Running .* tocsin-engine 1\.0\.0 Settings 0x2a2a…2a2a/)
    expect(html).not.toContain('role="status"')
    expect(html).not.toContain('text-medium')
  })

  it('escapes markup in names and in messages of an exchange', () => {
    const text = '<img src=x onerror=alert(1)>'
    const source = {
      venue: text,
      state: 'connecting',
      connections: 1,
      lastEnd: text,
      rejected: text,
      refused: 1,
    } as const
    const html = renderView(
      getStatus({
        sources: [source],
        markets: [createMarket({ market: text })],
        assets: [createAsset(text)],
        model: { name: text, version: text, settingsHash: `0x${'2a'.repeat(32)}` },
      }),
    )
    expect(html).not.toContain('<img')
    expect(html.split('&lt;img src=x onerror=alert(1)&gt;').length - 1).toBeGreaterThanOrEqual(7)
  })
})

describe('EngineStatusView: the threshold table', () => {
  it('marks the thresholds in use, and a note names thresholds in use that the table lacks', () => {
    const text = extractWords(renderView(getStatus()))
    expect(text).toMatch(/2\.7 in use for Price move 4\.00 a day, 6/)
    expect(text).toMatch(/2\.6 8\.00 a day, 12/)
    expect(text).toContain('In use, but not in the table: Volatility shift 2.65.')
  })

  it('shows counts instead of daily rates when the engine has observed less than a day', () => {
    const text = extractWords(renderView(getStatus({ days: [{ day: '2026-03-02', minutes: 300 }] })))
    expect(text).toMatch(/2\.7 in use for Price move 6 0/)
    expect(text).toContain('Alerts in the 5 observed hours')
    expect(text).not.toContain('a day,')
  })

  it('has the counts of the chosen asset, or the sums of all assets when no asset is chosen', () => {
    const readPriceCounts = (asset?: string) =>
      createThresholdRows(getStatus(), asset).map(({ counts }) => counts.price.count)
    expect([readPriceCounts(), readPriceCounts('ETH/USDT'), readPriceCounts('DOGE/USDT')]).toEqual([
      [12, 6, 2],
      [6, 3, 1],
      noCounts,
    ])
  })
})

test('EngineStatusView: shows alert counts by day and asset, their sums, and the time when a used budget is free again', () => {
  const text = extractWords(renderView(getStatus()))
  expect(text).toMatch(/1 Mar 2 Mar By day, oldest first 2 days/)
  expect(text).toMatch(/BTC\/USDT 1 2 By day, oldest first 1 2 2 days 3 Critical Free High Used until/)
  expect(text).toMatch(/All assets 2 4 By day, oldest first 2 4 2 days 6/)
})

const at = '2026-03-02T10:00:00.000Z'
test.each([
  ['never', null, 'critical', 0, null],
  ['a second less than a week ago', at, 'critical', 7 * 86_400 - 1, '2026-03-09T10:00:00.000Z'],
  ['a week ago', at, 'critical', 7 * 86_400, null],
  ['a second less than a day ago', at, 'high', 86_399, '2026-03-03T10:00:00.000Z'],
  ['a day ago', at, 'high', 86_400, null],
] as const)(
  'findNextAllowedAt: returns when a budget last used %s is free again, or null if it is free now',
  (_when, usedAt, priority, s, nextAllowedAt) => {
    expect(findNextAllowedAt(usedAt, priority, Date.parse(at) + s * 1_000)).toBe(nextAllowedAt)
  },
)

test.each([
  ['Up to date', { lagMs: 5_000 }, 'connected'],
  ['Lagging', { lagMs: 5_001 }, 'connected'],
  ['Catching up', { lagMs: 9_000, isCatchingUp: true }, 'connected'],
  ['No trade yet', { newestTradeAt: null, lagMs: null }, 'connected'],
  ['Not connected', { isCatchingUp: true }, 'connecting'],
] as const)(
  'describeMarketState: returns “%s” when the market has %j and the source is %s',
  (expected, change, state) => {
    const [source] = getStatus().sources
    expect(describeMarketState(createMarket(change), source ? [{ ...source, state }] : []).words).toBe(expected)
  },
)

test.each([
  [84, '84 ms'],
  [5_300, '5.3 s'],
  [600_000, '10 min'],
])('formatLag: writes %d ms as “%s”', (ms, expected) => {
  expect(formatLag(ms)).toBe(expected)
})
