import type { Signal } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { type Decision, decideSignals, keyOf, type Running } from './cool-down.ts'

const now = new Date('2026-01-15T12:00:00.000Z')
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()

function signalOf(id: string, priority: Signal['priority'], more: Partial<Signal> = {}): Signal {
  return {
    id,
    asset: 'BTC/USDT',
    anomalyType: 'Volume spike',
    confidence: 90,
    regime: '',
    summary: 'Volume rose',
    priority,
    observedAt: ago(0),
    ...more,
  }
}

const short = (decision: Decision) =>
  decision.kind === 'merge'
    ? `into ${decision.into}`
    : decision.kind === 'alert' && decision.isLate
      ? 'late'
      : decision.kind

function decide(signals: Signal[], before?: Running, taken: string[] = [], cooldownSeconds = 30) {
  const running = new Map(before ? [[keyOf(signalOf('', 'low')), before]] : [])
  return decideSignals(signals, { taken: new Set(taken), running }, now, cooldownSeconds).map(short)
}

describe('a signal', () => {
  it.each<[string, ReturnType<typeof decide>, string[]]>([
    ['makes an alert if none is running', decide([signalOf('a', 'low')]), ['alert']],
    ['with a known id is a duplicate', decide([signalOf('a', 'low')], undefined, ['a']), ['repeated']],
    [
      'twice in one batch makes one alert',
      decide([signalOf('a', 'low'), signalOf('a', 'critical')]),
      ['alert', 'repeated'],
    ],
    [
      'of the same event is counted under the running alert',
      decide([signalOf('b', 'high')], { signalId: 'a', priority: 'high' }),
      ['into a'],
    ],
    [
      'of lower priority is counted under it too',
      decide([signalOf('b', 'low')], { signalId: 'a', priority: 'high' }),
      ['into a'],
    ],
    [
      'of higher priority makes a new alert',
      decide([signalOf('b', 'critical')], { signalId: 'a', priority: 'high' }),
      ['alert'],
    ],
    [
      'after that is counted under the new alert',
      decide([signalOf('b', 'critical'), signalOf('c', 'high')], { signalId: 'a', priority: 'high' }),
      ['alert', 'into b'],
    ],
    [
      'of the same batch is counted under the first',
      decide([signalOf('a', 'low'), signalOf('b', 'low')]),
      ['alert', 'into a'],
    ],
    [
      'of another asset makes its own alert',
      decide([signalOf('a', 'low'), signalOf('b', 'low', { asset: 'ETH/USDT' })]),
      ['alert', 'alert'],
    ],
    [
      'of another anomaly makes its own alert',
      decide([signalOf('a', 'low'), signalOf('b', 'low', { anomalyType: 'Gap' })]),
      ['alert', 'alert'],
    ],
    [
      'makes its own alert if the cool-down is off',
      decide([signalOf('a', 'low'), signalOf('b', 'low')], undefined, [], 0),
      ['alert', 'alert'],
    ],
    ['observed 15 minutes ago is fresh', decide([signalOf('a', 'low', { observedAt: ago(15) })]), ['alert']],
    ['older than that is late', decide([signalOf('a', 'low', { observedAt: ago(15.1) })]), ['late']],
    [
      'that is late starts no cool-down',
      decide([signalOf('a', 'critical', { observedAt: ago(120) }), signalOf('b', 'low')]),
      ['late', 'alert'],
    ],
    [
      'that is late is never merged',
      decide([signalOf('b', 'low', { observedAt: ago(120) })], { signalId: 'a', priority: 'high' }),
      ['late'],
    ],
  ])('%s', (_name, decided, expected) => {
    expect(decided).toEqual(expected)
  })

  it('whose key fields contain separators is not confused with another', () => {
    const odd = [
      signalOf('a', 'low', { asset: 'A","B', anomalyType: 'C' }),
      signalOf('b', 'low', { asset: 'A', anomalyType: 'B","C' }),
    ]
    expect(decide(odd)).toEqual(['alert', 'alert'])
  })
})
