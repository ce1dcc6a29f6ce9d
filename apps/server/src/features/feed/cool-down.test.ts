import type { Signal } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { type AlertInCoolDown, type Decision, decideSignals, formatCoolDownKey } from './cool-down.ts'

const now = new Date('2026-01-15T12:00:00.000Z')
const formatMinutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()

function createSignal(id: string, priority: Signal['priority'], more: Partial<Signal> = {}): Signal {
  return {
    id,
    asset: 'BTC/USDT',
    anomalyType: 'Volume spike',
    confidence: 90,
    regime: '',
    summary: 'Volume rose',
    priority,
    observedAt: formatMinutesAgo(0),
    ...more,
  }
}

const formatDecision = (decision: Decision) =>
  decision.kind === 'merge'
    ? `into ${decision.targetSignalId}`
    : decision.kind === 'alert' && decision.isLate
      ? 'late'
      : decision.kind

function decideAsText(
  signals: Signal[],
  runningAlert?: AlertInCoolDown,
  takenIds: string[] = [],
  cooldownSeconds = 30,
) {
  const running = new Map(runningAlert ? [[formatCoolDownKey(createSignal('', 'low')), runningAlert]] : [])
  return decideSignals(signals, { processedIds: new Set(takenIds), running }, now, cooldownSeconds).map(formatDecision)
}

describe('a signal', () => {
  it.each<[string, ReturnType<typeof decideAsText>, string[]]>([
    ['makes an alert if none is running', decideAsText([createSignal('a', 'low')]), ['alert']],
    ['with a known id is a duplicate', decideAsText([createSignal('a', 'low')], undefined, ['a']), ['repeated']],
    [
      'twice in one batch makes one alert',
      decideAsText([createSignal('a', 'low'), createSignal('a', 'critical')]),
      ['alert', 'repeated'],
    ],
    [
      'of the same event is counted under the running alert',
      decideAsText([createSignal('b', 'high')], { signalId: 'a', priority: 'high' }),
      ['into a'],
    ],
    [
      'of lower priority is counted under it too',
      decideAsText([createSignal('b', 'low')], { signalId: 'a', priority: 'high' }),
      ['into a'],
    ],
    [
      'of higher priority makes a new alert',
      decideAsText([createSignal('b', 'critical')], { signalId: 'a', priority: 'high' }),
      ['alert'],
    ],
    [
      'after that is counted under the new alert',
      decideAsText([createSignal('b', 'critical'), createSignal('c', 'high')], { signalId: 'a', priority: 'high' }),
      ['alert', 'into b'],
    ],
    [
      'of the same batch is counted under the first',
      decideAsText([createSignal('a', 'low'), createSignal('b', 'low')]),
      ['alert', 'into a'],
    ],
    [
      'of another asset makes its own alert',
      decideAsText([createSignal('a', 'low'), createSignal('b', 'low', { asset: 'ETH/USDT' })]),
      ['alert', 'alert'],
    ],
    [
      'of another anomaly makes its own alert',
      decideAsText([createSignal('a', 'low'), createSignal('b', 'low', { anomalyType: 'Gap' })]),
      ['alert', 'alert'],
    ],
    [
      'makes its own alert if the cool-down is off',
      decideAsText([createSignal('a', 'low'), createSignal('b', 'low')], undefined, [], 0),
      ['alert', 'alert'],
    ],
    [
      'observed 15 minutes ago is fresh',
      decideAsText([createSignal('a', 'low', { observedAt: formatMinutesAgo(15) })]),
      ['alert'],
    ],
    [
      'older than that is late',
      decideAsText([createSignal('a', 'low', { observedAt: formatMinutesAgo(15.1) })]),
      ['late'],
    ],
    [
      'that is late starts no cool-down',
      decideAsText([createSignal('a', 'critical', { observedAt: formatMinutesAgo(120) }), createSignal('b', 'low')]),
      ['late', 'alert'],
    ],
    [
      'that is late is never merged',
      decideAsText([createSignal('b', 'low', { observedAt: formatMinutesAgo(120) })], {
        signalId: 'a',
        priority: 'high',
      }),
      ['late'],
    ],
  ])('%s', (_name, decisions, expected) => {
    expect(decisions).toEqual(expected)
  })

  it('does not share the cool-down key of another signal when its fields contain separators', () => {
    const oddSignals = [
      createSignal('a', 'low', { asset: 'A","B', anomalyType: 'C' }),
      createSignal('b', 'low', { asset: 'A', anomalyType: 'B","C' }),
    ]
    expect(decideAsText(oddSignals)).toEqual(['alert', 'alert'])
  })
})
