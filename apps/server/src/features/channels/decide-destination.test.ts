import { allAlerts, type QuietHours } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { type DeliverySettings, decideDestination, findHold } from './decide-destination.ts'
import { planEscalation } from './escalation.ts'
import { completeRules, type SentAlert, type Subject } from './rules.ts'

const now = new Date('2026-11-24T22:30:00.000Z')
const quietHours: QuietHours = { days: [2], from: 1_320, to: 420, timeZone: 'UTC', criticalPasses: true }
const createSettings = (change: Partial<DeliverySettings> = {}): DeliverySettings => ({
  rules: allAlerts,
  watchlist: [],
  mutedUntil: null,
  quietHours: null,
  digest: null,
  ...change,
})
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
const toNextDay = (time: string) => new Date(`2026-11-25T${time}:00.000Z`)
const sentNow: SentAlert[] = [{ at: now, asset: 'BTC/USDT', anomalyType: 'Volume spike' }]

describe('decideDestination', () => {
  it.each<[string, Partial<DeliverySettings>, Partial<Subject>, SentAlert[], object]>([
    ['sends immediately', {}, {}, [], { state: 'waiting' }],
    [
      'skips an alert by a rule also while muted',
      { rules: completeRules({ lowestPriority: 'critical' }), mutedUntil: toNextDay('08:00') },
      {},
      [],
      { state: 'skipped', reason: 'Rule: below critical priority' },
    ],
    [
      'skips within the cool-down',
      { rules: completeRules({ coolDownMinutes: 5 }) },
      {},
      sentNow,
      { state: 'skipped', reason: 'Rule: cool-down of 5 min' },
    ],
    [
      'holds back every alert while muted, also a critical one',
      { mutedUntil: toNextDay('08:00') },
      { priority: 'critical' },
      [],
      { state: 'held', reason: 'Muted until 2026-11-25 08:00 UTC, included in the digest', until: toNextDay('08:00') },
    ],
    ['sends when the mute has ended', { mutedUntil: now }, {}, [], { state: 'waiting' }],
    [
      'holds back in quiet hours',
      { quietHours },
      {},
      [],
      {
        state: 'held',
        reason: 'Quiet hours until 2026-11-25 07:00 UTC, included in the digest',
        until: toNextDay('07:00'),
      },
    ],
    ['sends a critical alert in quiet hours', { quietHours }, { priority: 'critical' }, [], { state: 'waiting' }],
    [
      'holds back a critical alert in quiet hours if the settings say so',
      { quietHours: { ...quietHours, criticalPasses: false } },
      { priority: 'critical' },
      [],
      { state: 'held', until: toNextDay('07:00') },
    ],
    [
      'holds back until the later of mute and quiet hours',
      { quietHours, mutedUntil: toNextDay('06:00') },
      {},
      [],
      { state: 'held', until: toNextDay('07:00') },
    ],
    [
      'holds back for a digest',
      { digest: { every: 'day', hour: 8, timeZone: 'UTC' } },
      {},
      [],
      { state: 'held', reason: 'Included in the next digest', until: toNextDay('08:00') },
    ],
    [
      'holds back alerts beyond the hourly limit',
      { rules: completeRules({ mostPerHour: 1 }) },
      {},
      sentNow,
      {
        state: 'held',
        reason: 'Rule: at most 1 per hour, included in the digest of the hour',
        until: new Date('2026-11-24T23:00Z'),
      },
    ],
    [
      'sends the retraction of a sent alert also beyond the hourly limit',
      { rules: completeRules({ mostPerHour: 1 }) },
      { kind: 'retraction', target: 'sent' },
      sentNow,
      { state: 'waiting' },
    ],
    [
      'holds back the retraction of an alert that the hourly limit holds back',
      { rules: completeRules({ mostPerHour: 1 }) },
      { kind: 'retraction', target: 'held' },
      sentNow,
      { state: 'held', until: new Date('2026-11-24T23:00Z') },
    ],
    [
      'holds back the retraction of a sent alert while muted',
      { mutedUntil: toNextDay('08:00') },
      { kind: 'retraction', target: 'sent' },
      [],
      { state: 'held', until: toNextDay('08:00') },
    ],
  ])('%s', (_name, change, of, sent, expected) => {
    expect(decideDestination(createSettings(change), createSubject(of), now, now, sent)).toMatchObject(expected)
  })

  it('holds an alert beyond the hourly limit until the end of its own hour, even after that hour has ended', () => {
    const [at, decidedAt] = [new Date('2026-11-24T22:59:59.900Z'), new Date('2026-11-24T23:00:00.200Z')]
    const limited = createSettings({ rules: completeRules({ mostPerHour: 1 }) })
    expect(decideDestination(limited, createSubject(), at, decidedAt, sentNow)).toMatchObject({
      state: 'held',
      until: new Date('2026-11-24T23:00Z'),
    })
  })

  it.each([
    ['high', 15, 'waiting'],
    ['high', 16, 'held'],
    ['critical', 60, 'waiting'],
    ['critical', 61, 'held'],
  ] as const)('a %s alert from %i minutes ago gets the state “%s”', (priority, minutes, state) => {
    const at = new Date(now.getTime() - minutes * 60_000)
    expect(decideDestination(createSettings(), createSubject({ priority }), at, now, [])).toMatchObject({ state })
  })
})

describe('findHold', () => {
  it('holds a digest back in quiet hours even if critical alerts may be sent', () => {
    expect(findHold(createSettings({ quietHours }), null, now)?.until).toEqual(toNextDay('07:00'))
    expect(findHold(createSettings(), null, now)).toBeNull()
  })
})

describe('planEscalation', () => {
  it.each<[string, (number | null)[], Record<string, number>]>([
    ['delays no destination without an escalation order', [null, null], {}],
    ['delays no destination if only one is left', [null, 3], {}],
    ['delays each destination in the order by five minutes more', [2, 0, null, 5], { d0: 300_000, d3: 600_000 }],
  ])('%s', (_name, steps, expected) => {
    const destinations = steps.map((escalationStep, index) => ({ id: `d${index}`, escalationStep }))
    expect(Object.fromEntries(planEscalation(destinations))).toEqual(expected)
  })
})
