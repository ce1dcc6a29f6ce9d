import type { SystemStatus } from '@tocsin/protocol'
import { expect, it } from 'vitest'
import { describeHealth, formatUptimeClock } from './system-health.ts'

const createStatus = (feed: SystemStatus['feed']['state'], anchor: SystemStatus['anchor']['state']): SystemStatus => ({
  startedAt: '2026-11-21T00:00:00.000Z',
  coverage: 'all',
  feed: { state: feed, signalsReceived: 0, signalsRefused: 0, lastSignalAt: null },
  stream: { connected: 0 },
  chain: { id: 1, name: 'Ethereum Mainnet' },
  anchor: { chainName: 'Avalanche', state: anchor, reason: null, lastAnchoredAt: null },
  alerts: { total: 0, last24Hours: 0, criticalLast24Hours: 0, medianToAnchorMs: null },
  measured: {
    averageConfidence: null,
    confidenceSample: 0,
    successRate: null,
    successSample: 0,
    successInterval: null,
  },
})

it.each([
  [undefined, true, 'critical', 'System unreachable'],
  [createStatus('connected', 'current'), true, 'critical', 'System unreachable'],
  [undefined, false, 'neutral', 'Checking…'],
  [createStatus('failed', 'current'), false, 'critical', 'Degraded: signal feed failed'],
  [createStatus('reconnecting', 'delayed'), false, 'medium', 'Degraded: signal feed reconnecting, anchoring delayed'],
  [createStatus('off', 'delayed'), false, 'medium', 'Degraded: anchoring delayed'],
  [createStatus('connected', 'stopped'), false, 'critical', 'Degraded: log stopped'],
  [createStatus('off', 'current'), false, 'ok', 'System Active'],
  [createStatus('connecting', 'current'), false, 'ok', 'System Active'],
  [createStatus('connected', 'current'), false, 'ok', 'System Active'],
])('describeHealth: returns tone and text of the system status: case %#', (measured, isUnreachable, tone, words) => {
  expect(describeHealth(measured, isUnreachable)).toEqual({ tone, words })
})

it.each([
  ['2026-11-21T00:00:00.000Z', '00:00:00'],
  ['2026-11-22T00:00:00.000Z', '00:00:00'],
  ['2026-11-20T22:58:57.000Z', '01:01:03'],
  ['2026-11-08T19:28:51.000Z', '12 d 04:31:09'],
])('formatUptimeClock: formats the uptime since %s as %s', (startedAt, words) => {
  expect(formatUptimeClock(startedAt, Date.parse('2026-11-21T00:00:00.000Z'))).toBe(words)
})
