import { allAlerts, type DeliveryRules } from '@tocsin/protocol'
import { describe, expect, it, test } from 'vitest'
import {
  completeRules,
  findCoolDownReason,
  findExcludingRule,
  isHourlyLimitReached,
  type SentAlert,
  SentHistory,
  type Subject,
} from './rules.ts'

const createSubject = (change: Partial<Subject> = {}): Subject => ({
  asset: 'BTC/USDT',
  anomalyType: 'Volume spike',
  regime: 'Trending',
  priority: 'high',
  confidence: 52,
  kind: 'alert',
  isOutcome: false,
  target: null,
  ...change,
})
const createRules = (change: Partial<DeliveryRules>) => completeRules(change)

describe('findExcludingRule', () => {
  it.each<[string, Partial<DeliveryRules>, string[], Partial<Subject>, string | null]>([
    ['allows everything without rules', {}, [], {}, null],
    ['allows a chosen asset', { assets: ['BTC/USDT'] }, [], {}, null],
    ['refuses another asset', { assets: ['ETH/USDT'] }, [], {}, 'Rule: asset not selected'],
    ['compares whole names', { assets: ['BTC'] }, [], {}, 'Rule: asset not selected'],
    ['allows an asset of the watchlist', { watchlist: true }, ['BTC/USDT'], {}, null],
    ['refuses everything with an empty watchlist', { watchlist: true }, [], {}, 'Rule: asset not selected'],
    [
      'ignores the watchlist if it is not chosen',
      { assets: ['ETH/USDT'] },
      ['BTC/USDT'],
      {},
      'Rule: asset not selected',
    ],
    ['adds the watchlist to the assets', { assets: ['ETH/USDT'], watchlist: true }, ['BTC/USDT'], {}, null],
    ['refuses another type', { types: ['Price move'] }, [], {}, 'Rule: type not selected'],
    ['allows a chosen type', { types: ['Volume spike'] }, [], {}, null],
    ['refuses another regime', { regimes: ['Calm'] }, [], {}, 'Rule: regime not selected'],
    ['allows a chosen regime', { regimes: ['Trending'] }, [], {}, null],
    ['allows the lowest priority', { lowestPriority: 'high' }, [], {}, null],
    ['refuses a lower priority', { lowestPriority: 'high' }, [], { priority: 'medium' }, 'Rule: below high priority'],
    ['allows the lowest confidence', { lowestConfidence: 52 }, [], {}, null],
    ['refuses a lower confidence', { lowestConfidence: 53 }, [], {}, 'Rule: confidence below 53%'],
    ['allows a correction of a sent alert', { lowestPriority: 'critical' }, [], { target: 'sent' }, null],
    ['allows a correction of a held alert', { assets: ['ETH/USDT'] }, [], { target: 'held' }, null],
  ])('%s', (_name, change, watchlist, changedFields, expected) => {
    expect(findExcludingRule(createRules(change), watchlist, createSubject(changedFields))).toBe(expected)
  })
})

const toDate = (time: string) => new Date(`2026-11-24T${time}.000Z`)
const createSentAlert = (time: string, asset = 'BTC/USDT', anomalyType = 'Volume spike'): SentAlert => ({
  at: toDate(time),
  asset,
  anomalyType,
})

describe('findCoolDownReason', () => {
  const tenMinutes = createRules({ coolDownMinutes: 10 })
  it.each<[string, Partial<Subject>, SentAlert[], boolean]>([
    ['allows the first alert', {}, [], false],
    ['refuses a similar alert during the cool-down', {}, [createSentAlert('14:25:00')], true],
    ['allows a similar alert after the cool-down', {}, [createSentAlert('14:20:00')], false],
    ['allows another asset', {}, [createSentAlert('14:25:00', 'ETH/USDT')], false],
    ['allows another type', {}, [createSentAlert('14:25:00', 'BTC/USDT', 'Price move')], false],
    ['allows a correction', { kind: 'correction' }, [createSentAlert('14:25:00')], false],
    ['allows an outcome', { isOutcome: true }, [createSentAlert('14:25:00')], false],
  ])('%s', (_name, changedFields, sentBefore, isRefused) => {
    const reason = findCoolDownReason(tenMinutes, createSubject(changedFields), toDate('14:30:00'), sentBefore)
    expect(reason).toBe(isRefused ? 'Rule: cool-down of 10 min' : null)
  })
  it('allows everything without a cool-down', () => {
    expect(findCoolDownReason(allAlerts, createSubject(), toDate('14:30:00'), [createSentAlert('14:30:00')])).toBeNull()
  })
})

describe('isHourlyLimitReached', () => {
  it.each<[string, number | null, string[], boolean]>([
    ['is false without a limit', null, ['14:01:00', '14:02:00'], false],
    ['is false below the limit', 3, ['14:01:00', '14:02:00'], false],
    ['is true at the limit', 2, ['14:00:00', '14:02:00'], true],
    ['ignores alerts of the previous hour', 2, ['13:59:59', '14:02:00'], false],
  ])('%s', (_name, mostPerHour, times, expected) => {
    expect(
      isHourlyLimitReached(
        createRules({ mostPerHour }),
        createSubject(),
        toDate('14:30:00'),
        times.map((time) => createSentAlert(time)),
      ),
    ).toBe(expected)
  })
})

test('SentHistory: finds the last similar alert and the alerts of the same hour', () => {
  const history = new SentHistory()
  const times = ['13:10:00', '13:50:00', '14:00:00', '14:10:00', '14:20:00']
  for (const time of times) for (const asset of ['BTC/USDT', 'ETH/USDT']) history.add(createSentAlert(time, asset))
  expect(history.findLastSimilar(createSubject())).toEqual([createSentAlert('14:20:00')])
  expect(history.findLastSimilar(createSubject({ anomalyType: 'Price move' }))).toEqual([])
  expect(history.listSentInHour(toDate('14:30:00'))).toHaveLength(6)
  expect(history.listSentInHour(toDate('15:00:00'))).toEqual([])
})
