import type { Signal } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { type Decision, decideSignals, formatCoolDownKey, type Running } from './cool-down.ts'

const now = new Date('2026-01-15T12:00:00.000Z')
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()

function createSignal(id: string, priority: Signal['priority'], more: Partial<Signal> = {}): Signal {
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
  const running = new Map(before ? [[formatCoolDownKey(createSignal('', 'low')), before]] : [])
  return decideSignals(signals, { taken: new Set(taken), running }, now, cooldownSeconds).map(short)
}

describe('a signal', () => {
  it.each<[string, ReturnType<typeof decide>, string[]]>([
    ['makes an alert if none is running', decide([createSignal('a', 'low')]), ['alert']],
    ['with a known id is a duplicate', decide([createSignal('a', 'low')], undefined, ['a']), ['repeated']],
    [
      'twice in one batch makes one alert',
      decide([createSignal('a', 'low'), createSignal('a', 'critical')]),
      ['alert', 'repeated'],
    ],
    [
      'of the same event is counted under the running alert',
      decide([createSignal('b', 'high')], { signalId: 'a', priority: 'high' }),
      ['into a'],
    ],
    [
      'of lower priority is counted under it too',
      decide([createSignal('b', 'low')], { signalId: 'a', priority: 'high' }),
      ['into a'],
    ],
    [
      'of higher priority makes a new alert',
      decide([createSignal('b', 'critical')], { signalId: 'a', priority: 'high' }),
      ['alert'],
    ],
    [
      'after that is counted under the new alert',
      decide([createSignal('b', 'critical'), createSignal('c', 'high')], { signalId: 'a', priority: 'high' }),
      ['alert', 'into b'],
    ],
    [
      'of the same batch is counted under the first',
      decide([createSignal('a', 'low'), createSignal('b', 'low')]),
      ['alert', 'into a'],
    ],
    [
      'of another asset makes its own alert',
      decide([createSignal('a', 'low'), createSignal('b', 'low', { asset: 'ETH/USDT' })]),
      ['alert', 'alert'],
    ],
    [
      'of another anomaly makes its own alert',
      decide([createSignal('a', 'low'), createSignal('b', 'low', { anomalyType: 'Gap' })]),
      ['alert', 'alert'],
    ],
    [
      'makes its own alert if the cool-down is off',
      decide([createSignal('a', 'low'), createSignal('b', 'low')], undefined, [], 0),
      ['alert', 'alert'],
    ],
    ['observed 15 minutes ago is fresh', decide([createSignal('a', 'low', { observedAt: ago(15) })]), ['alert']],
    ['older than that is late', decide([createSignal('a', 'low', { observedAt: ago(15.1) })]), ['late']],
    [
      'that is late starts no cool-down',
      decide([createSignal('a', 'critical', { observedAt: ago(120) }), createSignal('b', 'low')]),
      ['late', 'alert'],
    ],
    [
      'that is late is never merged',
      decide([createSignal('b', 'low', { observedAt: ago(120) })], { signalId: 'a', priority: 'high' }),
      ['late'],
    ],
  ])('%s', (_name, decided, expected) => {
    expect(decided).toEqual(expected)
  })

  it('whose key fields contain separators is not confused with another', () => {
    const odd = [
      createSignal('a', 'low', { asset: 'A","B', anomalyType: 'C' }),
      createSignal('b', 'low', { asset: 'A', anomalyType: 'B","C' }),
    ]
    expect(decide(odd)).toEqual(['alert', 'alert'])
  })
})
