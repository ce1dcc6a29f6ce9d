import type { Alert } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import {
  formatClockLeft,
  getCountdown,
  getOutcomeKind,
  type OutcomeKind,
  type PredictedFields,
} from './outcome-state.ts'

const prediction: NonNullable<Alert['prediction']> = {
  metric: 'maxExcursion',
  comparison: 'gte',
  threshold: 1.4,
  venue: 'binance',
  market: 'BTCUSDT',
  candleSeconds: 60,
  startsAt: '2026-03-02T14:31:00.000Z',
  horizonSeconds: 3600,
  resolveBy: '2026-03-02T15:46:00.000Z',
}
const toMs = (time: string) => Date.parse(`2026-03-02T${time}Z`)
const issuedAlert = { createdAt: '2026-03-02T14:30:00.688Z', anchoredAt: '2026-03-02T14:30:04.000Z' }
const createOutcome = (verdict: 'came-true' | 'did-not' | 'void', time: string) => ({
  logIndex: 9,
  verdict,
  measured: verdict === 'void' ? null : '1.46',
  createdAt: `2026-03-02T${time}Z`,
  messageHash: '0x',
})

test.each<[name: string, alert: Partial<PredictedFields>, now: string, kind: OutcomeKind | null]>([
  ['no prediction', {}, '14:40:00.000', null],
  ['before the start', { prediction }, '14:30:00.000', 'open'],
  ['after the horizon without an entry', { prediction }, '15:40:00.000', 'open'],
  ['at the deadline', { prediction }, '15:46:00.000', 'open'],
  ['past the deadline', { prediction }, '15:46:00.001', 'overdue'],
  ['came true', { prediction, outcome: createOutcome('came-true', '15:32:00.000') }, '18:00:00.000', 'came-true'],
  ['did not come true', { prediction, outcome: createOutcome('did-not', '15:32:00.000') }, '15:33:00.000', 'did-not'],
  ['void', { prediction, outcome: createOutcome('void', '15:32:00.000') }, '15:33:00.000', 'void'],
  [
    'entry at the deadline',
    { prediction, outcome: createOutcome('came-true', '15:46:00.000') },
    '18:00:00.000',
    'came-true',
  ],
  ['overdue entry', { prediction, outcome: createOutcome('came-true', '15:46:00.001') }, '18:00:00.000', 'overdue'],
  ['not anchored before the deadline', { prediction, anchoredAt: null }, '15:30:00.000', 'open'],
  ['not anchored after the deadline', { prediction, anchoredAt: null }, '15:46:00.001', 'late'],
  [
    'anchored at the limit',
    { prediction, anchoredAt: '2026-03-02T14:37:00.000Z', outcome: createOutcome('came-true', '15:32:00.000') },
    '15:33:00.000',
    'came-true',
  ],
  [
    'anchored after the limit',
    { prediction, anchoredAt: '2026-03-02T14:37:01.000Z', outcome: createOutcome('came-true', '15:32:00.000') },
    '15:33:00.000',
    'late',
  ],
  [
    'signed after the start',
    { prediction, createdAt: '2026-03-02T14:31:00.001Z', outcome: createOutcome('did-not', '15:32:00.000') },
    '15:33:00.000',
    'late',
  ],
])('getOutcomeKind: returns the expected kind for the case "%s"', (_name, alert, now, kind) => {
  expect(getOutcomeKind({ ...issuedAlert, ...alert }, toMs(now))).toBe(kind)
})

test.each([
  ['14:30:00.500', { until: 'start', secondsLeft: 60, share: 1 }],
  ['14:31:00.000', { until: 'end', secondsLeft: 3600, share: 1 }],
  ['15:01:00.000', { until: 'end', secondsLeft: 1800, share: 0.5 }],
  ['15:31:00.000', { until: 'verdict', secondsLeft: 900, share: 0 }],
  ['15:47:00.000', { until: 'verdict', secondsLeft: 0, share: 0 }],
])('getCountdown: counts down to the start, the end or the verdict at %s', (now, expected) => {
  expect(getCountdown(prediction, toMs(now))).toMatchObject(expected)
})

test.each([
  [0, '00:00'],
  [59, '00:59'],
  [2237, '37:17'],
  [3600, '60:00'],
  [5999, '99:59'],
  [6000, '1:40:00'],
  [21_599, '5:59:59'],
])('formatClockLeft: %d s is %s', (seconds, words) => {
  expect(formatClockLeft(seconds)).toBe(words)
})
