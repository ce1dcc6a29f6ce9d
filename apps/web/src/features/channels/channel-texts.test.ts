import { allAlerts, type Destination } from '@tocsin/protocol'
import { describe, expect, test } from 'vitest'
import {
  createBadge,
  formatDeliveredShare,
  formatResponse,
  formatSeconds,
  formatSummary,
  formatTries,
} from './channel-texts.ts'

const destination: Destination = {
  id: 'a',
  kind: 'webhook',
  name: 'Bot',
  host: 'bot.example.com',
  state: 'on',
  publicKey: null,
  events: [],
  mutedUntil: null,
  rules: allAlerts,
  quietHours: null,
  digest: null,
  escalationStep: null,
  createdAt: '2026-11-24T00:00:00.000Z',
  failingSince: null,
  lastDeliveredAt: null,
  medianMs: null,
  delivered: 0,
  waiting: 0,
  held: 0,
  skipped: 0,
  dead: 0,
  missed: 0,
  missedFrom: null,
}

describe('texts of a destination', () => {
  test.each([
    [{ state: 'on' }, 'On'],
    [{ state: 'on', failingSince: '2026-11-24T00:00:00.000Z' }, 'Retrying'],
    [{ state: 'failing', failingSince: '2026-11-24T00:00:00.000Z' }, 'Failing'],
    [{ state: 'unconfirmed' }, 'Not confirmed'],
    [{ state: 'paused' }, 'Paused'],
    [{ state: 'gone' }, 'Removed or blocked'],
  ] as const)('createBadge: a destination with %j is shown as %s', (change, word) => {
    expect(createBadge({ ...destination, ...change }).word).toBe(word)
  })

  test('formatDeliveredShare: returns one number when all due deliveries have arrived, otherwise “arrived/due”', () => {
    expect(formatDeliveredShare({ ...destination, delivered: 1_200, skipped: 5 })).toBe('1,200')
    expect(formatDeliveredShare({ ...destination, delivered: 96, waiting: 2, dead: 1 })).toBe('96/99')
  })

  test('formatSummary: sums the due deliveries of all destinations and excludes skipped deliveries', () => {
    expect(formatSummary([{ ...destination, skipped: 3 }])).toBe('In the last 7 days no delivery was due.')
    expect(formatSummary([{ ...destination, delivered: 1 }])).toContain('1 delivery was due: 1 delivered')
    const list = [
      { ...destination, delivered: 160, waiting: 2 },
      { ...destination, waiting: 1, dead: 1 },
    ]
    expect(formatSummary(list)).toBe('In the last 7 days 164 deliveries were due: 160 delivered, 3 waiting, 1 failed.')
  })

  test('formatSeconds, formatTries and formatResponse: format durations, attempts and responses', () => {
    expect([formatSeconds(7), formatSeconds(410), formatSeconds(1_240)]).toEqual(['7 ms', '0.41 s', '1.2 s'])
    expect([formatTries(1), formatTries(4)]).toEqual(['1 try', '4 tries'])
    expect(formatResponse({ status: 502, response: 'Bad Gateway' })).toBe('502 Bad Gateway')
    expect(formatResponse({ status: 204, response: '' })).toBe('204')
    expect(formatResponse({ status: null, response: 'No response within 15 seconds' })).toBe(
      'No response within 15 seconds',
    )
  })
})
