import { createHash } from 'node:crypto'
import { bytesToHex } from '@tocsin/proof'
import { expect, test } from 'vitest'
import { createSigningKey, createTestLog, testDomain } from '../../../packages/proof/test/support/test-log.ts'
import type { Evidence } from '../evidence.ts'
import { createJournal, type FaultRecord, type SubscriberRecord } from '../journal.ts'
import { checkOutcomesAndDeliveries } from './accounted.ts'
import { checkAcknowledgedAlerts } from './acknowledged.ts'
import { checkStreamDeliveries } from './delivered.ts'
import { checkEntitlement } from './entitlement.ts'
import { checkLog } from './log.ts'
import { checkMails } from './mails.ts'
import { checkProofs } from './proofs.ts'
import { checkReadiness, countEvaluated } from './readiness.ts'
import { checkSessions } from './sessions.ts'
import { checkTransfers } from './transfers.ts'

const hashParts = (prefix: number, ...parts: Uint8Array[]) =>
  createHash('sha256')
    .update(Buffer.concat([Uint8Array.of(prefix), ...parts]))
    .digest()

const getCanary = (number: number) => `canary-admin-${number}-`
const texts = ['keys', `{"summary":"${getCanary(1)}"}`, `{"summary":"${getCanary(2)}"}`]
const leaves = texts.map((text) => hashParts(0, Buffer.from(text)))
const [l0 = Buffer.of(), l1 = Buffer.of(), l2 = Buffer.of()] = leaves
const rootOfTwo = `0x${hashParts(1, l0, l1).toString('hex')}`
const rootOfThree = `0x${hashParts(1, hashParts(1, l0, l1), l2).toString('hex')}`

const fault: FaultRecord = {
  name: 'kill -9 of the database',
  target: 'primary',
  injectedAtMs: 100_000,
  healedAtMs: 112_000,
  endedAtMs: 140_000,
  expectedReadiness: [{ instance: 'instance 1', fromMs: 100_000, untilMs: 112_000, expectedState: 'unready' }],
}

const subscriber: SubscriberRecord = {
  name: 'customer 1',
  accountId: 'account',
  received: [
    { logIndex: 1, canary: getCanary(1), atMs: 1_100 },
    { logIndex: 2, canary: getCanary(2), atMs: 2_100 },
  ],
  updatesAtMs: [],
  gaps: [],
  reloads: [],
  liveAtMs: 500,
  closedAtMs: null,
}

/** Creates a log with real signatures, as a verifier reads it. */
function createSignedLog(): Evidence['signedLog'] {
  const log = createTestLog()
  log.appendKeys()
  log.append(log.draft())
  log.append(log.draft())
  const { size, root, blockAt } = log.anchor()
  return {
    entries: log.entries.map(({ text, signature, leafHash }, index) => ({
      ...{ index, bytes: text, signature, leafHash: bytesToHex(leafHash) },
    })),
    anchors: [{ size, root, blockAt }],
    domain: testDomain,
    firstSigner: createSigningKey(0).address,
  }
}

/**
 * Creates evidence without problems: two alerts of an admin that every subscriber received. The
 * second one also counts as a signal with an outcome.
 */
function createEvidence(): Evidence {
  const createAcknowledged = (number: number) => ({ id: `id ${number}`, logIndex: number, atMs: 1_000 })
  return {
    journal: {
      ...createJournal(),
      faults: [fault],
      readiness: [
        { instance: 'instance 1', atMs: 106_000, tookMs: 20, status: 503, reasons: ['database'] },
        { instance: 'instance 1', atMs: 135_000, tookMs: 20, status: 200, reasons: [] },
      ],
      issued: [1, 2].map((number) => ({
        source: 'admin',
        canary: getCanary(number),
        signalId: number === 2 ? 'signal 2' : null,
        sentAtMs: 900,
        acknowledged: createAcknowledged(number),
      })),
      subscribers: [subscriber],
      unentitledReads: 1,
      sessions: [
        {
          name: 'visitor',
          way: 'log-out',
          endedAtMs: 10_000,
          laterUses: [{ atMs: 11_000, isAccepted: false }],
          socket: { closedAtMs: 10_100, watchedUntilMs: 10_100 },
        },
      ],
      webhooks: [1, 2].map((number) => ({ id: `msg_hook_${number}`, atMs: 3_000 })),
      mails: [
        { id: 'sent', atMs: 50_000 },
        { id: 'sent again', atMs: 99_000 },
        { id: 'sent again', atMs: 150_000 },
      ],
      outcomes: [{ signalId: 'signal 2', verdict: 'came-true' }],
    },
    mailJobs: [
      { id: 'sent', hasLink: false, state: null },
      { id: 'sent again', hasLink: false, state: null },
      { id: 'failed', hasLink: false, state: 'failed' },
      { id: 'with a link that was used', hasLink: true, state: null },
    ],
    entries: texts.map((text, index) => ({ index, bytes: Buffer.from(text) })),
    signedLog: createSignedLog(),
    alerts: [1, 2].map((number) => ({
      id: `id ${number}`,
      logIndex: number,
      summary: getCanary(number),
      signalId: number === 2 ? 'signal 2' : null,
    })),
    mergedSignals: [],
    refusedSignals: [],
    outcomes: [{ targetIndex: 2, verdict: 'came-true' }],
    deliveries: [1, 2].map((number) => ({ logIndex: number, atMs: number * 1_000 })),
    periods: [{ accountId: 'account', startsAtMs: 0, endsAtMs: 100_000 }],
    savedAnchors: [
      { size: 2, root: rootOfTwo },
      { size: 3, root: rootOfThree },
    ],
    chainAnchors: [
      { size: 2, root: rootOfTwo },
      { size: 3, root: rootOfThree },
    ],
    chainTransfers: [
      { txHash: '0x1', amountWei: 10n },
      { txHash: '0x2', amountWei: 3n },
    ],
    payments: [{ id: 'payment 1', txHash: '0x1', amountWei: 10n, isReverted: false }],
    unmatched: [{ id: 'unmatched 2', txHash: '0x2', amountWei: 3n, isReverted: false, isResolved: false }],
    creditedPaymentIds: ['payment 1'],
    destinationIds: ['hook'],
    channelDeliveries: [1, 2].map((number) => ({
      id: `delivery ${number}`,
      destinationId: 'hook',
      logIndex: number,
      event: 'alert',
      state: 'delivered',
      attempts: 1,
      recordedAttempts: 1,
      digestIndex: null,
    })),
  }
}

type Violation = (evidence: Evidence) => unknown

const getAt = <T>(list: readonly T[], index: number): T => {
  const member = list[index]
  if (member === undefined) throw new Error(`There is no member ${index}`)
  return member
}
const changeSubscriber =
  (change: Partial<SubscriberRecord>): Violation =>
  ({ journal }) =>
    Object.assign(journal, { subscribers: [{ ...subscriber, ...change }] })
const [firstAlert, secondAlert] = [getAt([...subscriber.received], 0), getAt([...subscriber.received], 1)]

const violations: [(evidence: Evidence) => string[], string, Violation, RegExp][] = [
  [checkAcknowledgedAlerts, 'an acknowledged alert is missing', (e) => void e.alerts.shift(), /canary-admin-1-.*lost/],
  [checkAcknowledgedAlerts, 'an alert exists twice', (e) => void e.alerts.push(getAt(e.alerts, 0)), /exists 2 times/],
  [
    checkAcknowledgedAlerts,
    'an alert has another index',
    (e) => Object.assign(getAt(e.alerts, 0), { logIndex: 2 }),
    /acknowledged as id 1/,
  ],
  [
    checkAcknowledgedAlerts,
    'an entry has other text',
    (e) => Object.assign(getAt(e.entries, 1), { bytes: Buffer.of(1) }),
    /not in its log/,
  ],
  [checkAcknowledgedAlerts, 'a signal is missing', (e) => void e.alerts.pop(), /Signal signal 2 was lost/],
  [
    checkAcknowledgedAlerts,
    'a signal was refused',
    (e) => {
      e.alerts.pop()
      e.refusedSignals.push({ raw: '{"id":"signal 2"}', reason: 'asset is missing' })
    },
    /Signal signal 2 was refused: asset is missing/,
  ],
  [
    checkStreamDeliveries,
    'an alert was missed',
    changeSubscriber({ received: [secondAlert] }),
    /missed 1 alerts, the first is 1/,
  ],
  [
    checkStreamDeliveries,
    'an alert came twice',
    changeSubscriber({ received: [firstAlert, secondAlert, secondAlert] }),
    /1 alerts more than once/,
  ],
  [
    checkStreamDeliveries,
    'the order is wrong',
    changeSubscriber({ received: [secondAlert, firstAlert] }),
    /received 1 after 2/,
  ],
  [checkStreamDeliveries, 'a stream never began', changeSubscriber({ liveAtMs: null }), /never live/],
  [
    checkStreamDeliveries,
    'the list was not read',
    changeSubscriber({ received: [], reloads: [{ upToIndex: 2, atMs: 3_000, isDone: false, indexes: [] }] }),
    /could not/,
  ],
  [
    checkStreamDeliveries,
    'an alert was missed and the connection broke long after the subscription',
    changeSubscriber({ received: [firstAlert], gaps: [{ fromMs: 130_000, untilMs: 131_000, events: [] }] }),
    /missed 1 alerts, the first is 2/,
  ],
  [
    checkStreamDeliveries,
    'an alert was missed in a gap that ended long before the subscription',
    changeSubscriber({ received: [firstAlert], gaps: [{ fromMs: 3_000, untilMs: 4_000, events: [] }] }),
    /missed 1 alerts, the first is 2/,
  ],
  [checkLog, 'an entry is missing', (e) => void e.entries.splice(1, 1), /Entry 1 is missing/],
  [
    checkLog,
    'an entry was changed',
    (e) => Object.assign(getAt(e.entries, 2), { bytes: Buffer.of(1) }),
    /size 3 does not match/,
  ],
  [
    checkLog,
    'the chain has another root',
    (e) => Object.assign(getAt(e.chainAnchors, 0), { root: '0x00' }),
    /size 2 does not match/,
  ],
  [checkLog, 'an anchor is not stored', (e) => void e.savedAnchors.shift(), /stored anchors differ/],
  [checkLog, 'the log was truncated', (e) => void e.entries.pop(), /size 3 is beyond the log/],
  [checkLog, 'the newest entry is not anchored', (e) => void e.chainAnchors.pop(), /1 entries are not anchored/],
  [
    checkProofs,
    'a signature is another one',
    ({ signedLog: { entries } }) => Object.assign(getAt(entries, 2), { signature: getAt(entries, 1).signature }),
    /entry 2/i,
  ],
  [
    checkProofs,
    'an anchor has another root',
    ({ signedLog: { anchors } }) => Object.assign(getAt(anchors, 0), { root: `0x${'00'.repeat(32)}` }),
    /root|anchor/i,
  ],
  [
    checkProofs,
    'an anchor came an hour too late',
    ({ signedLog: { anchors } }) => Object.assign(getAt(anchors, 0), { blockAt: '2025-01-16T10:31:00.000Z' }),
    /The time of entry 1 is not proven \(anchored-late\)/,
  ],
  [checkTransfers, 'a transfer is not recorded', (e) => void e.unmatched.pop(), /0x2 is recorded 0 times/],
  [
    checkTransfers,
    'a transfer is recorded twice',
    (e) => void e.payments.push(getAt(e.payments, 0)),
    /recorded 2 times/,
  ],
  [
    checkTransfers,
    'an amount differs',
    (e) => Object.assign(getAt(e.payments, 0), { amountWei: 9n }),
    /another amount/,
  ],
  [checkTransfers, 'a dropped transfer counts', (e) => void e.chainTransfers.shift(), /0x1 is not on the chain/],
  [checkTransfers, 'a payment gave nothing', (e) => void e.creditedPaymentIds.pop(), /started no subscription/],
  [checkTransfers, 'a payment gave two periods', (e) => void e.creditedPaymentIds.push('payment 1'), /two subscript/],
  [
    checkEntitlement,
    'content was shown',
    ({ journal }) => void journal.leaks.push({ reader: 'a visitor', atMs: 1, canary: getCanary(1) }),
    /shown to a visitor/,
  ],
  [
    checkEntitlement,
    'the subscription had ended',
    (e) => Object.assign(getAt(e.periods, 0), { endsAtMs: 500 }),
    /customer 1 received 1/,
  ],
  [checkEntitlement, 'nothing was read', ({ journal }) => Object.assign(journal, { unentitledReads: 0 }), /No reader/],
  [
    checkSessions,
    'an ended session is accepted',
    ({ journal }) => Object.assign(getAt(getAt(journal.sessions, 0).laterUses, 0), { isAccepted: true }),
    /accepted 1000 ms after/,
  ],
  [
    checkSessions,
    'a socket stays open',
    ({ journal }) =>
      Object.assign(getAt(journal.sessions, 0), { socket: { closedAtMs: null, watchedUntilMs: 70_000 } }),
    /socket of visitor was open 5000 ms after the log-out/,
  ],
  [
    checkSessions,
    'no socket was watched for long enough',
    ({ journal }) =>
      Object.assign(getAt(journal.sessions, 0), { socket: { closedAtMs: null, watchedUntilMs: 14_999 } }),
    /No socket of an ended session was judged/,
  ],
  [
    checkReadiness,
    'an instance says that it is ready without a database',
    ({ journal }) => Object.assign(getAt(journal.readiness, 0), { status: 200 }),
    /instance 1 said "200 database" instead of unready/,
  ],
  [
    checkReadiness,
    'an instance stays unready',
    ({ journal }) => Object.assign(getAt(journal.readiness, 1), { status: 503 }),
    /said "503" instead of ready/,
  ],
  [
    checkReadiness,
    'a reason is missing',
    ({ journal }) => {
      journal.faults = [
        { ...fault, expectedReadiness: [{ ...getAt(fault.expectedReadiness, 0), expectedState: { reason: 'clock' } }] },
      ]
      getAt(journal.readiness, 0).status = 200
    },
    /instead of degraded by clock/,
  ],
  [
    checkReadiness,
    'no response was judged, because the only one came after the fault',
    ({ journal }) => Object.assign(getAt(journal.readiness, 0), { tookMs: 6_000 }),
    /kill -9 of the database: no response of \/readyz was judged/,
  ],
  [checkOutcomesAndDeliveries, 'an outcome is missing', (e) => void e.outcomes.pop(), /signal 2 has 0 outcomes/],
  [
    checkOutcomesAndDeliveries,
    'an outcome exists twice',
    (e) => void e.outcomes.push(getAt(e.outcomes, 0)),
    /has 2 outcomes/,
  ],
  [
    checkOutcomesAndDeliveries,
    'a verdict is wrong',
    (e) => Object.assign(getAt(e.outcomes, 0), { verdict: 'did-not' }),
    /is did-not, not came-t/,
  ],
  [
    checkOutcomesAndDeliveries,
    'a delivery waits',
    (e) => Object.assign(getAt(e.channelDeliveries, 0), { state: 'waiting' }),
    /still waiting/,
  ],
  [
    checkOutcomesAndDeliveries,
    'a delivery is missing',
    (e) => void e.channelDeliveries.pop(),
    /1 alerts do not have one row/,
  ],
  [
    checkMails,
    'an email is lost',
    ({ journal }) => void journal.mails.shift(),
    /Mail sent was not sent and is not listed/,
  ],
  [
    checkMails,
    'an email still waits',
    ({ mailJobs }) => void Object.assign(getAt(mailJobs, 0), { state: 'retry' }),
    /Mail sent is still retry/,
  ],
  [
    checkMails,
    'an email is sent twice without a fault',
    ({ journal }) => void journal.mails.push({ id: 'sent', atMs: 51_000 }),
    /Mail sent was sent 2 times/,
  ],
  [
    checkMails,
    'an email is sent again after its fault',
    ({ journal }) => void journal.mails.push({ id: 'sent again', atMs: 151_000 }),
    /Mail sent again was sent 3 times/,
  ],
  [
    checkOutcomesAndDeliveries,
    'a message did not arrive',
    ({ journal }) => void journal.webhooks.pop(),
    /did not arrive/,
  ],
  [
    checkOutcomesAndDeliveries,
    'an attempt is missing',
    (e) => Object.assign(getAt(e.channelDeliveries, 0), { attempts: 2 }),
    /2 of 1 attempts/,
  ],
]

const namedViolations = violations.map(([check, when, ...rest]) => [check.name, when, check, ...rest] as const)

test.each(namedViolations)('%s: fails when %s', (_name, _when, check, violate, message) => {
  const evidence = createEvidence()
  expect(check(evidence)).toEqual([])
  violate(evidence)
  expect(check(evidence).join('\n')).toMatch(message)
})

test('checkStreamDeliveries: allows missing alerts at the end of a subscription that ended while disconnected', () => {
  const evidence = createEvidence()
  const reload = { upToIndex: 2, atMs: 101_100, isDone: false, indexes: [] }
  const gaps = [{ fromMs: 101_000, untilMs: 101_100, events: [] }]
  changeSubscriber({ received: [firstAlert], gaps, reloads: [reload] })(evidence)
  expect(checkStreamDeliveries(evidence)).toEqual([])
  changeSubscriber({ received: [secondAlert], gaps, reloads: [reload] })(evidence)
  expect(checkStreamDeliveries(evidence)).toEqual(['customer 1 missed 1 alerts, the first is 1'])
})

test('checkStreamDeliveries: accepts alerts missing from the stream only if the subscriber loaded them from the list', () => {
  const evidence = createEvidence()
  const reload = { upToIndex: 2, atMs: 3_000, isDone: true, indexes: [2, 1, 0] }
  changeSubscriber({ received: [], reloads: [reload] })(evidence)
  expect(checkStreamDeliveries(evidence)).toEqual([])
  changeSubscriber({ received: [], reloads: [{ ...reload, indexes: [2, 0] }] })(evidence)
  expect(checkStreamDeliveries(evidence).join()).toContain('missed 1 alerts, the first is 1')
})

test('checkSessions: reports a socket left open after log-out even if only four seconds pass between faults', () => {
  const evidence = createEvidence()
  const names = ['kill -9 of an instance', 'clock step of the leader', 'rolling restart'] as const
  evidence.journal.faults = names.map((name, index) => {
    const injectedAtMs = 6_000 + 6_000 * index
    return { ...fault, name, injectedAtMs, healedAtMs: injectedAtMs + 1_000, endedAtMs: injectedAtMs + 2_000 }
  })
  expect(checkSessions(evidence)).toEqual([])
  const setSocketClosure = (closedAtMs: number) =>
    Object.assign(getAt(evidence.journal.sessions, 0), { socket: { closedAtMs, watchedUntilMs: closedAtMs } })
  setSocketClosure(15_001)
  expect(checkSessions(evidence)).toEqual(['A socket of visitor was open 5000 ms after the log-out'])
})

test('checkSessions: allows a socket to close five seconds after a fault that hid the log-out from its instance', () => {
  const evidence = createEvidence()
  const setSocketClosure = (closedAtMs: number) =>
    Object.assign(getAt(evidence.journal.sessions, 0), { socket: { closedAtMs, watchedUntilMs: closedAtMs } })
  // The first fault begins within the five seconds in which the socket must be closed. The second
  // one begins less than five seconds after the end of the first one, and freezes the instance.
  const freezeFault = { ...fault, name: 'SIGSTOP of an instance' as const, injectedAtMs: 23_000, healedAtMs: 60_000 }
  evidence.journal.faults = [{ ...fault, injectedAtMs: 14_000, healedAtMs: 20_000 }, freezeFault]
  setSocketClosure(65_000)
  expect(checkSessions(evidence)).toEqual([])
  setSocketClosure(65_001)
  expect(checkSessions(evidence)).toEqual(['A socket of visitor was open 55000 ms after the log-out'])
  evidence.journal.faults = [{ ...fault, injectedAtMs: 15_000, healedAtMs: 20_000 }]
  expect(checkSessions(evidence)).toEqual(['A socket of visitor was open 5000 ms after the log-out'])
})

test('checkReadiness: ignores responses sent before the instance must report the fault', () => {
  const { journal } = createEvidence()
  const truth = { ...getAt(fault.expectedReadiness, 0), expectedState: { reason: 'anchoring' } }
  const silentNode = {
    ...fault,
    name: 'black-holed chain node' as const,
    expectedReadiness: [{ ...truth, untilMs: 125_000 }],
  }
  const createReadinessSample = (atMs: number, reasons: string[]) => ({
    ...{ instance: 'instance 1', atMs, tookMs: 20, status: 200, reasons },
  })
  journal.faults = [silentNode]
  journal.readiness = [createReadinessSample(104_999, []), createReadinessSample(105_000, ['anchoring'])]
  expect(checkReadiness({ journal })).toEqual([])
  expect(countEvaluated(journal)).toEqual(new Map([['black-holed chain node', 1]]))
  journal.readiness = [createReadinessSample(105_000, [])]
  expect(checkReadiness({ journal }).join()).toContain('instead of degraded by anchoring')
})

test('checkReadiness: accepts a ready instance on a full disk after PostgreSQL accepted a write again', () => {
  const { journal } = createEvidence()
  journal.faults = [{ ...fault, name: 'full disk of the database' }]
  getAt(journal.readiness, 0).status = 200
  const createPost = (atMs: number, status: number) => ({ atMs, tookMs: 20, status, path: '/api/alerts' })
  journal.posts = [createPost(99_000, 201), createPost(105_500, 503), createPost(106_100, 201)]
  journal.readiness.unshift({ instance: 'instance 1', atMs: 105_100, tookMs: 20, status: 503, reasons: ['database'] })
  expect(checkReadiness({ journal })).toEqual([])
  journal.posts = [createPost(100_100, 201), createPost(106_100, 503)]
  expect(checkReadiness({ journal }).join()).toContain('instance 1 said "200 database" instead of unready')
})

test('checkOutcomesAndDeliveries: counts the alerts of a digest as arrived only if the digest has arrived', () => {
  const evidence = createEvidence()
  for (const delivery of evidence.channelDeliveries) delivery.digestIndex = 1
  evidence.journal.webhooks = [{ id: 'msg_hook_1_digest', atMs: 3_000 }]
  expect(checkOutcomesAndDeliveries(evidence)).toEqual([])
  evidence.journal.webhooks = []
  expect(checkOutcomesAndDeliveries(evidence)).toHaveLength(2)
})
