import type { Alert } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import {
  extractClause,
  formatAlertAnchorDelay,
  formatAlertName,
  formatDuration,
  formatProofSentence,
  parseDirection,
} from './alert-texts.ts'

it('formatAlertName: names priority, asset and type, and only the priority of a locked alert', () => {
  const alert = { priority: 'high', asset: 'ETH/USDT', anomalyType: 'Volume spike' } as Alert
  expect(formatAlertName(alert)).toBe('High, ETH/USDT, Volume spike')
  expect(formatAlertName({ ...alert, anomalyType: '' })).toBe('High, ETH/USDT')
  expect(formatAlertName({ ...alert, locked: true } as never)).toBe('High, locked alert')
})

describe('formatAlertAnchorDelay', () => {
  const createdAt = '2026-11-21T14:00:00.500Z'
  it.each([
    [null, null, null],
    ['0xfeed', '2026-11-21T14:00:00.000Z', '< 1 s'],
    ['0xfeed', '2026-11-21T14:00:04.000Z', '3.5 s'],
    ['0xfeed', '2026-11-21T15:30:00.000Z', '1 h'],
  ])('for the anchor transaction %s and the anchor time %s, returns %s', (avalancheTx, anchoredAt, expected) => {
    expect(formatAlertAnchorDelay({ avalancheTx, anchoredAt, createdAt })).toBe(expected)
  })
})

it.each([
  [1_000, '1.0 s'],
  [59_960, '59.9 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [172_800_000, '2 d'],
])('formatDuration: formats %i ms as %s', (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected)
})

it.each([
  [null, null, 'Signed, anchoring…'],
  ['0xfeed', null, 'Anchored on the chain'],
  ['0xfeed', 'not a time', 'Anchored on the chain'],
  ['0xfeed', '2026-11-21T14:00:00.000Z', 'Anchored within a second of issue'],
  ['0xfeed', '2026-11-21T14:00:03.500Z', 'Anchored 3.0 s after issue'],
])('formatProofSentence: for transaction %s and anchor time %s, returns "%s"', (avalancheTx, anchoredAt, sentence) => {
  expect(formatProofSentence({ avalancheTx, anchoredAt, createdAt: '2026-11-21T14:00:00.500Z' })).toBe(sentence)
})

const prediction = {} as NonNullable<Alert['prediction']>
it.each([
  [
    'Price fell 1.23% in 4 min on 5.3× usual volume; largest since 3 May',
    'Price fell 1.23% in 4 min on 5.3× usual volume',
  ],
  [`${'x'.repeat(60)}; more`, 'x'.repeat(60)],
  [`${'x'.repeat(61)}; more`, `${'x'.repeat(61)}; more`],
  ['Price fell;fast', 'Price fell;fast'],
  ['; nothing before', '; nothing before'],
])('extractClause: for "%s" returns "%s"', (summary, clause) => {
  expect(extractClause({ summary, prediction })).toBe(clause)
})

it('extractClause: returns the whole summary of an alert without a prediction', () => {
  expect(extractClause({ summary: 'Fell; do not trade' })).toBe('Fell; do not trade')
})

it.each([
  ['Volume 6.1× this hour’s usual in 90 s', null],
  ['Realised volatility 3.2× its median, trend down', null],
  ['The enterprise fell behind', null],
  ['Price fell 1.23% in 4 min on 5.3× usual volume', 'down'],
  ['Volume 8.5× this hour’s usual in 1 min, price rose 0.15%', 'up'],
])('parseDirection: the price direction in "%s" is %s', (summary, direction) => {
  expect(parseDirection(summary)).toBe(direction)
})
