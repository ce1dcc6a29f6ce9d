import { describe, expect, it } from 'vitest'
import {
  createFlatCandle,
  createPrediction,
  testModel,
  testStartSeconds,
  toIso,
} from '../../test/support/test-record.ts'
import type { Hex } from '../hex.ts'
import vectors from '../vectors/predictions.json'
import { type CandleSource, formatDay, getDaySpan } from './candle-source.ts'
import { findControlBlock, listControlTasks, measureControlRates } from './control-rates.ts'
import { drawControlMinutes } from './controls.ts'
import type { Prediction } from './prediction.ts'
import type { RecordAlert } from './record-alert.ts'
import type { RecordAnchor } from './record-entry.ts'

const day = '2026-03-02'
const { from: dayStart, until: dayEnd } = getDaySpan(day)
const { blockHash, leafHash, hits, minutes, baseRate } = vectors.controls

function createAnchor(seconds: number, blockNumber: number): RecordAnchor {
  const hash: Hex = `0x${blockNumber.toString(16).padStart(64, '0')}`
  return { size: 1, blockAt: toIso(seconds), blockNumber, blockHash: hash }
}

const drawingAnchor = { ...createAnchor(dayEnd, 100), blockHash: blockHash as Hex }
const anchors = [createAnchor(dayStart + 60_000, 90), drawingAnchor, createAnchor(dayEnd + 30, 111)]

function createAlert(prediction: Prediction, change: Partial<RecordAlert> = {}): RecordAlert {
  return {
    index: 7,
    leafHash: leafHash as Hex,
    status: 'true',
    statement: null,
    forecast: { prediction, model: testModel },
    problem: null,
    createdMs: 0,
    anchoredMs: 0,
    outcome: null,
    furtherOutcomes: [],
    isWitnessed: true,
    isFirstOfEpisode: true,
    hour: 0,
    ...change,
  }
}

/**
 * Creates a source with one day of candles: the price is 102 from 14:31 to 15:30, else 100.
 * `isMissing` selects minutes without a candle.
 */
function createSource(isMissing: (minute: number) => boolean = () => false): CandleSource & { reads: string[] } {
  const reads: string[] = []
  const candles = Array.from({ length: 1440 }, (_, minute) =>
    isMissing(minute) ? [] : [createFlatCandle(dayStart + 60 * minute, minute >= 871 && minute < 931 ? 102 : 100, '2')],
  ).flat()
  return {
    reads,
    isArchive: true,
    read: ({ market }, ofDay) => {
      reads.push(`${market} ${ofDay}`)
      return ofDay === day && market !== 'UNKNOWN' ? candles : null
    },
  }
}

const rule = createPrediction(testStartSeconds, { threshold: 1.4 })
const getRate = (prediction: Prediction, source: CandleSource = createSource(), change: Partial<RecordAlert> = {}) =>
  measureControlRates(listControlTasks([createAlert(prediction, change)]), anchors, source).get(7)

describe('measureControlRates', () => {
  it('returns the rate of the published test vectors', () => {
    const rate = getRate(rule)
    expect(rate).toEqual({ minutes: minutes.length, cameTrue: hits })
    expect((rate?.cameTrue ?? 0) / (rate?.minutes ?? 1)).toBe(baseRate)
  })

  it('has no rate for alerts that do not count or have no prediction', () => {
    expect(getRate(rule, createSource(), { status: 'open' })).toBeUndefined()
    expect(getRate(rule, createSource(), { status: 'withheld', forecast: null })).toBeUndefined()
    expect(getRate(rule, createSource(), { status: 'overdue' })).toEqual({ minutes: 20, cameTrue: hits })
  })

  it('has no rate without candles of the day', () => {
    const unknownMarket = { venue: 'okx', market: 'UNKNOWN' }
    expect(getRate({ ...rule, market: 'UNKNOWN' })).toBeUndefined()
    expect(getRate({ ...rule, metric: 'spread', other: unknownMarket })).toBeUndefined()
    expect(getRate(createPrediction(testStartSeconds - 86_400))).toBeUndefined()
    expect(
      getRate(
        rule,
        createSource(() => true),
      ),
    ).toBeUndefined()
  })

  it('draws replacements for control minutes that lack candles', () => {
    const isMissing = (minute: number) => minute >= 300 && minute < 700
    const usableMinutes = drawControlMinutes(
      { blockHash: drawingAnchor.blockHash, leafHash: leafHash as Hex, horizonSeconds: 3600 },
      (minute) => {
        const missingMinutes = Array.from({ length: 60 }, (_, index) => isMissing(minute + index)).filter(
          Boolean,
        ).length
        const hasReference = Array.from({ length: 5 }, (_, index) => !isMissing(minute - 1 - index)).some(Boolean)
        return missingMinutes <= 12 && hasReference
      },
    )
    expect(usableMinutes).toHaveLength(20)
    expect(usableMinutes).not.toEqual(minutes)
    const trueCount = usableMinutes.filter((minute) => minute > 811 && minute <= 930).length
    expect(getRate(rule, createSource(isMissing))).toEqual({ minutes: 20, cameTrue: trueCount })
  })

  it('measures volume and spread', () => {
    expect(getRate({ ...rule, metric: 'volume', threshold: 120 })).toEqual({ minutes: 20, cameTrue: 20 })
    expect(getRate({ ...rule, metric: 'volume', threshold: 121 })).toEqual({ minutes: 20, cameTrue: 0 })
    const otherMarket = { venue: 'okx', market: 'BTC-USDT' }
    expect(getRate({ ...rule, metric: 'spread', other: otherMarket, threshold: 0.1 })).toEqual({
      minutes: 20,
      cameTrue: 0,
    })
  })

  it('reads the candles of a market and day only once for several alerts', () => {
    const source = createSource()
    const alerts = [0, 1, 2].map((index) => createAlert(rule, { index, leafHash: `0x${`${index}1`.repeat(32)}` }))
    expect(measureControlRates(listControlTasks(alerts), anchors, source).size).toBe(3)
    expect(source.reads).toEqual([`BTCUSDT ${formatDay(testStartSeconds)}`])
  })
})

describe('findControlBlock', () => {
  it.each<[name: string, anchors: RecordAnchor[], hash: string | null]>([
    ['there is no anchor on a later day', anchors.slice(0, 1), null],
    [
      'there are 11 confirmations',
      [anchors[0], drawingAnchor, createAnchor(dayEnd + 30, 110)].flatMap((anchor) => anchor ?? []),
      null,
    ],
    ['there are 12 confirmations', anchors, blockHash],
    ['a later anchor has 12 as well', [...anchors, createAnchor(dayEnd + 90, 140)], blockHash],
    ['there are no anchors', [], null],
  ])('returns the expected block hash, or null, when %s', (_, listedAnchors, hash) => {
    expect(findControlBlock(listedAnchors, day)).toBe(hash)
  })

  it('returns the block of the first anchor at or after midnight', () => {
    const earlyAnchor = createAnchor(dayEnd - 1, 99)
    expect(findControlBlock([earlyAnchor, drawingAnchor, createAnchor(dayEnd + 60, 140)], day)).toBe(blockHash)
  })
})
