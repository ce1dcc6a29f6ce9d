import { describe, expect, it } from 'vitest'
import {
  createCalmCandles,
  getAlerts,
  MINUTE,
  mergeByTime,
  movePrice,
  multiplyVolume,
  run,
  T0,
} from '../test/support/engine-test-bed.ts'
import type { Alert } from './finding.ts'
import type { Candle } from './tick.ts'

const WARM_UP_MINUTES = 1_700
const DAY = 1_440

const getSummaries = (alerts: readonly Alert[], type: string) =>
  alerts.filter(({ anomalyType }) => anomalyType === type).map(({ summary }) => summary)

/** Applies a change to a calm market twice, `days` apart. Returns the alerts of the engine. */
function runTwice(change: (candles: readonly Candle[], at: number) => Candle[], days: number): Alert[] {
  const [first, second] = [WARM_UP_MINUTES, WARM_UP_MINUTES + days * DAY]
  const calmMarket = createCalmCandles('BTC/USDT', second + 30, 3)
  return getAlerts(run(mergeByTime(change(change(calmMarket, first), second))))
}

describe('summary', () => {
  const addJump = (candles: readonly Candle[], at: number) => movePrice(candles, at, 1.02)

  it('calls the first large move the largest since records began, and dates that move in the second alert', () => {
    const [first = '', second = ''] = getSummaries(runTwice(addJump, 2), 'Price move')
    const day = new Date(T0 + WARM_UP_MINUTES * MINUTE)
    expect(first).toContain('; largest since records began')
    expect(second).toContain(`; largest since ${day.getUTCDate()} March`)
  })

  it('omits the date of the previous large move if it was less than a day ago', () => {
    const [, second = ''] = getSummaries(runTwice(addJump, 0.5), 'Price move')
    expect(second).toMatch(/^Price rose .* its usual move$/)
  })

  it('calls the first large volume the largest since records began, and dates that volume in the second alert', () => {
    const [first = '', second = ''] = getSummaries(
      runTwice((candles, at) => multiplyVolume(candles, at, at + 2, 12), 2),
      'Volume spike',
    )
    expect(first).toContain('; largest since records began')
    expect(second).toMatch(/; largest since 3 March/)
  })

  it.each([
    [0.9, '90% of volume bought by takers'],
    [0.1, '90% of volume sold by takers'],
  ])('states the share of volume that takers bought or sold when they bought %d of it', (share, text) => {
    const calmMarket = createCalmCandles('BTC/USDT', WARM_UP_MINUTES + 10, 3)
    const flow = addJump(calmMarket, WARM_UP_MINUTES).map((candle, index) =>
      index < WARM_UP_MINUTES - 5 ? candle : setTakerShare(candle, share),
    )
    const [summary = ''] = getSummaries(getAlerts(run(mergeByTime(flow))), 'Price move')
    expect(summary).toContain(`; ${text}`)
  })

  it('writes percentages with two decimals, and multiples with "×" and at most one decimal', () => {
    const calmMarket = createCalmCandles('BTC/USDT', WARM_UP_MINUTES + 10, 3)
    const [price = ''] = getSummaries(getAlerts(run(mergeByTime(addJump(calmMarket, WARM_UP_MINUTES)))), 'Price move')
    expect(price).toMatch(/^Price rose \d\.\d\d% in \d+ min(; | on )/)
    expect(price).toMatch(/\d× its usual move/)
    const [volume = ''] = getSummaries(
      getAlerts(run(mergeByTime(multiplyVolume(calmMarket, WARM_UP_MINUTES, WARM_UP_MINUTES + 2, 12)))),
      'Volume spike',
    )
    expect(volume).toMatch(/^Volume (\d\.\d|\d\d+)× this hour's usual in \d+ min/)
  })

  it('says nothing about takers when they bought and sold equal volumes', () => {
    const calmMarket = createCalmCandles('BTC/USDT', WARM_UP_MINUTES + 10, 3)
    const [summary = ''] = getSummaries(getAlerts(run(mergeByTime(addJump(calmMarket, WARM_UP_MINUTES)))), 'Price move')
    expect(summary).not.toContain('takers')
  })
})

it('taker flow: raises no additional alert, and changes only the text of alerts', () => {
  const calmMarket = createCalmCandles('BTC/USDT', WARM_UP_MINUTES + 200, 3)
  const oneSidedMarket = calmMarket.map((candle, index) =>
    index < WARM_UP_MINUTES ? candle : setTakerShare(candle, 1),
  )
  expect(getAlerts(run(mergeByTime(oneSidedMarket)))).toEqual(getAlerts(run(mergeByTime(calmMarket))))
  const movedMarket = movePrice(calmMarket, WARM_UP_MINUTES + 50, 1.02)
  const alertsWithoutTakers = getAlerts(run(mergeByTime(movedMarket)))
  const alertsWithTakers = getAlerts(
    run(mergeByTime(movedMarket.map((candle, index) => (index < WARM_UP_MINUTES ? candle : setTakerShare(candle, 1))))),
  )
  const removeDetails = (alerts: readonly Alert[]) =>
    alerts.map((alert) => ({ ...alert, summary: alert.summary.split('; ')[0] }))
  expect(alertsWithoutTakers.length).toBeGreaterThan(0)
  expect(removeDetails(alertsWithTakers)).toEqual(removeDetails(alertsWithoutTakers))
})

function setTakerShare(candle: Candle, share: number): Candle {
  return { ...candle, takerBuyVolume: share * candle.volume }
}

describe('crisis', () => {
  const names = ['AAA/USDT', 'BBB/USDT', 'CCC/USDT', 'DDD/USDT', 'EEE/USDT']

  /**
   * Lets some assets jump in the same minute, every other one down, so that no alert is
   * market-wide. Returns the regimes of the alerts.
   */
  function getRegimes(movers: number): string[] {
    const markets = names.map((name, index) => {
      const calmMarket = createCalmCandles(name, WARM_UP_MINUTES + 10, index + 1)
      return index < movers ? movePrice(calmMarket, WARM_UP_MINUTES, index % 2 === 0 ? 1.02 : 0.98) : calmMarket
    })
    const prices = getAlerts(run(mergeByTime(...markets))).filter(({ anomalyType }) => anomalyType === 'Price move')
    return prices.map(({ regime }) => regime)
  }

  it('is named as the regime only in the third alert when three assets raise alerts within a minute', () => {
    expect(getRegimes(3).map((regime) => regime.startsWith('Crisis, '))).toEqual([false, false, true])
  })

  it('is not named when two of five assets raise alerts', () => {
    expect(getRegimes(2).some((regime) => regime.startsWith('Crisis'))).toBe(false)
  })

  it('is named in a market-wide alert', () => {
    const markets = names.map((name, index) =>
      movePrice(createCalmCandles(name, WARM_UP_MINUTES + 10, index + 1), WARM_UP_MINUTES, 0.98),
    )
    const [alert] = getAlerts(run(mergeByTime(...markets))).filter(
      ({ anomalyType }) => anomalyType === 'Market-wide move',
    )
    expect(alert?.regime).toMatch(/^Crisis, /)
  })
})
