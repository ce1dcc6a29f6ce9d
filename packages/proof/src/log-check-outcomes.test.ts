import { describe, expect, it } from 'vitest'
import { createTestLog, type TestLog, testDomain, testSigners } from '../test/support/test-log.ts'
import { bytesToHex, type Hex } from './hex.ts'
import { createLogCheck } from './log-check.ts'
import type { LogEntry } from './log-entry.ts'
import type { OutcomeStatement } from './outcome-entry.ts'

const [firstSigner = '0x'] = testSigners
const salt: Hex = `0x${'5a'.repeat(16)}`
const signalHash: Hex = `0x${'ab'.repeat(32)}`

/**
 * Creates a log with these entries: 0 key list, 1 alert of the feed, 2 alert of an admin, 3 alert
 * of the demo, 4 correction, 5 heartbeat, 6 outcome of alert 1.
 */
function createLog(): TestLog {
  const log = createTestLog()
  log.appendKeys()
  log.appendAlert({ origin: 'feed', signalHash, salt })
  log.appendAlert({ salt })
  log.appendAlert({ origin: 'demo', salt })
  log.appendAlert({ kind: 'correction', salt, targetIndex: 2, targetLeafHash: readLeafHash(log, 2) })
  log.appendHeartbeat()
  log.appendOutcome(1)
  return log
}

function readLeafHash(log: TestLog, index: number): Hex {
  return bytesToHex(log.entries[index]?.leafHash ?? new Uint8Array())
}

function checkEntries(entries: readonly LogEntry[]) {
  const logCheck = createLogCheck({ domain: testDomain, firstSigner })
  for (const entry of entries) logCheck.add(entry)
  return logCheck
}

describe('createLogCheck rejects an outcome', () => {
  it.each<[name: string, target: number, change: Partial<OutcomeStatement>, failure: string]>([
    ['of a key list', 0, {}, 'Entry 7 is an outcome of entry 0, which is a key list'],
    ['of a correction', 4, {}, 'Entry 7 is an outcome of entry 4, which is a correction'],
    ['of a heartbeat', 5, {}, 'Entry 7 is an outcome of entry 5, which is a heartbeat'],
    ['of an outcome', 6, {}, 'Entry 7 is an outcome of entry 6, which is an outcome'],
    ['of an alert by an admin', 2, {}, 'Entry 7 is an outcome of entry 2 and names another origin'],
    ['of the feed for an alert of the demo', 3, {}, 'Entry 7 is an outcome of entry 3 and names another origin'],
    [
      'of the demo for an alert of the feed',
      1,
      { origin: 'demo' },
      'Entry 7 is an outcome of entry 1 and names another',
    ],
    [
      'with another leaf hash',
      1,
      { targetLeafHash: signalHash },
      'Entry 7 is an outcome of entry 1 and names another leaf hash than that entry has',
    ],
    ['by a key that was replaced', 1, { signer: testSigners[1] ?? '0x' }, 'The signature of entry 7 leads to'],
  ])('%s', (_, target, change, failure) => {
    const log = createLog()
    log.appendOutcome(target, change)
    expect(checkEntries(log.logEntries()).failure).toContain(failure)
  })

  it.each(['correction', 'retraction'] as const)('as the target of a %s', (kind) => {
    const log = createLog()
    log.appendAlert({ kind, salt, targetIndex: 6, targetLeafHash: readLeafHash(log, 6) })
    expect(checkEntries(log.logEntries()).failure).toBe(`Entry 7 is a ${kind} of entry 6, which is an outcome`)
  })
})

it('createLogCheck: lists an outcome with its stated origin in openTargets if its alert is no longer in memory', () => {
  const log = createLog()
  const entries = log.logEntries()
  const createFiller = (index: number): LogEntry => ({ index, leafHash: signalHash, bytes: null, signature: null })
  const check = checkEntries(entries.slice(0, 6))
  for (let index = 6; index < 4200; index++) check.add(createFiller(index))
  const lateLog = createTestLog()
  lateLog.append(log.draft({ salt }))
  lateLog.appendOutcome(0, { index: 4200, targetIndex: 1, targetLeafHash: readLeafHash(log, 1), origin: 'demo' })
  const entry = lateLog.logEntries().at(-1)
  expect(entry && check.add({ ...entry, index: 4200 })).toBeNull()
  expect(check.openTargets).toMatchObject([{ kind: 'outcome', targetIndex: 1, copiedFields: { origin: 'demo' } }])
})

describe('createLogCheck: the time of an outcome', () => {
  const startMs = Date.parse('2025-01-16T09:30:00.000Z')
  const minutesAfterStart = (minutes: number) => new Date(startMs + minutes * 60_000).toISOString()
  type Step = { alert: number } | { outcome: number } | { heartbeat: number } | { anchor: number }

  function checkTimes(...steps: Step[]) {
    const log = createTestLog()
    const check = createLogCheck({ domain: testDomain, firstSigner })
    for (const step of steps) {
      if ('anchor' in step)
        check.checkAnchor({ size: check.size, root: check.root(), blockAt: minutesAfterStart(step.anchor) })
      else {
        if ('alert' in step)
          log.appendAlert({ origin: 'feed', signalHash, salt, createdAt: minutesAfterStart(step.alert) })
        else if ('outcome' in step) log.appendOutcome(0, { createdAt: minutesAfterStart(step.outcome) })
        else log.appendHeartbeat({ createdAt: minutesAfterStart(step.heartbeat) })
        const entry = log.logEntries().at(-1)
        if (entry) check.add(entry)
      }
    }
    const { failure, unprovenTimes, unprovenOutcomes, unprovenOthers } = check
    const [issue, outcomes, others] = [unprovenTimes, unprovenOutcomes, unprovenOthers].map(({ count, unproven }) => {
      expect(count).toBe(unproven.length)
      return unproven.map(({ index, reason }) => [index, reason])
    })
    return { failure, issue, outcomes, others }
  }
  const allProven = { failure: null, issue: [], outcomes: [], others: [] }
  const alert: Step[] = [{ alert: 0 }, { anchor: 0.1 }]

  it.each<[name: string, steps: Step[], found: object]>([
    ['is proven when it is anchored at the limit', [{ outcome: 60 }, { anchor: 75 }], {}],
    [
      'is not proven when it is anchored after the limit',
      [{ outcome: 60 }, { anchor: 75.001 }],
      { outcomes: [[1, 'anchored-late']] },
    ],
    [
      'is not proven when it is dated hours before its anchor, in a log without heartbeats',
      [{ outcome: 30 }, { anchor: 180 }],
      { outcomes: [[1, 'anchored-late']] },
    ],
    ['is proven if dated a minute before an anchor that does not cover it', [{ outcome: -0.9 }, { anchor: 1 }], {}],
    [
      'is not proven if dated more than a minute before an anchor that does not cover it',
      [{ outcome: 4 }, { anchor: 5 }, { outcome: 3.9 }, { anchor: 5.1 }],
      { outcomes: [[2, 'before-anchor']] },
    ],
    [
      'is not proven when it is logged between back-dated heartbeats, which are listed too',
      [{ heartbeat: 20 }, { outcome: 30 }, { heartbeat: 40 }, { anchor: 180 }],
      {
        outcomes: [[2, 'anchored-late']],
        others: [
          [1, 'anchored-late'],
          [3, 'anchored-late'],
        ],
      },
    ],
    ['is not reported as late while it is not anchored', [{ outcome: 180 }], {}],
  ])('%s', (_, steps, found) => {
    expect(checkTimes(...alert, ...steps)).toEqual({ ...allProven, ...found })
  })
})

describe('createLogCheck', () => {
  it('accepts and counts outcomes of feed and demo alerts, including several outcomes of one alert', () => {
    const log = createLog()
    log.appendOutcome(3, { origin: 'demo', verdict: 'void', measured: null })
    log.appendOutcome(1, { verdict: 'did-not' })
    const check = checkEntries(log.logEntries())
    expect(check.failure).toBeNull()
    expect(check.counts).toMatchObject({ alerts: 3, corrections: 1, heartbeats: 1, outcomes: 3 })
    expect(check.openTargets).toEqual([])
  })

  it('accepts an outcome of an alert whose content is withheld', () => {
    const withheldEntries = createLog()
      .logEntries()
      .map((entry) => (entry.index === 1 ? { ...entry, bytes: null, signature: null } : entry))
    expect(checkEntries(withheldEntries).failure).toBeNull()
  })

  it('accepts an outcome of version 1 after an alert of version 2, and alerts of version 1 after an outcome', () => {
    const log = createTestLog()
    log.appendKeys()
    log.appendAlert({ origin: 'feed', signalHash })
    log.appendOutcome(1)
    log.appendAlert()
    log.appendAlert({ salt })
    log.appendOutcome(1)
    expect(checkEntries(log.logEntries()).failure).toBeNull()
  })
})
