import type { Socket } from 'node:net'
import type { Alert } from '@tocsin/protocol'
import { serverMessage } from '@tocsin/protocol'
import { testConfig } from '@tocsin/testkit'
import type { WebSocket } from 'ws'
import { DeliveryTracker } from '../../../../packages/client/src/delivery-tracker.ts'
import type { Context } from '../../src/context.ts'
import { cacheHistoryReads } from '../../src/features/live/cache-history-reads.ts'
import { Connection } from '../../src/features/live/connection.ts'
import type { Frame } from '../../src/features/live/frame.ts'
import { createReader } from '../../src/features/live/reader.ts'
import type { AnchorMark, NewestRows } from '../../src/features/live/store.ts'
import { createStream } from '../../src/features/live/stream.ts'
import { IssuedDeliveries } from '../../src/issued-deliveries.ts'
import type { Scheduler } from '../../src/scheduler.ts'
import { createRandom } from './seeded-random.ts'
import { testActor } from './test-actor.ts'

/**
 * Simulates the handover between backfill and live frames. Only the tables are replaced: each read
 * takes a random time.
 */

const logId = `0x${'11'.repeat(32)}`
const walletAddress = `0x${'ab'.repeat(20)}`
const never: Scheduler = { after: () => () => {}, every: () => () => {} }

export function alertAt(logIndex: number): Alert {
  const none = { targetIndex: null, targetLeafHash: null, supersededBy: null, signalHash: null, treeSize: null }
  const proof = { signer: '0x', signature: '0x', leafHash: '0x', merklePath: [], root: null, avalancheTx: null }
  const text = { asset: 'A', summary: 'B', regime: '', anomalyType: '', confidence: 50, priority: 'low' } as const
  const at = { createdAt: '2026-01-15T12:00:00.000Z', anchoredAt: null }
  return { ...none, ...proof, ...text, ...at, id: `alert-${logIndex}`, kind: 'alert', origin: 'feed', logIndex }
}

/**
 * Publishes alerts while a client connects, disconnects and resumes, and while its rights are
 * checked again. Some alerts are broadcast late or twice.
 * @returns the log indexes that the client received, those that it should have received, and those
 * in the raw messages
 */
export async function simulateHandover(seed: number): Promise<{ announced: number[]; due: number[]; wire: number[] }> {
  const random = createRandom(seed)
  const upTo = (max: number) => Math.floor(random() * (max + 1))
  const turns = async (max: number) => {
    for (let left = upTo(max); left > 0; left -= 1) await Promise.resolve()
  }
  const at = new Date('2026-01-15T12:00:00.000Z')
  const endsAt = new Date('2026-01-16T12:00:00.000Z')
  const { ctx, wake } = createHandoverContext(at)
  /** Log indexes in broadcast order: `seq` is the position, starting at 1. */
  const sent: number[] = []
  let size = 0
  const held: number[] = []
  const publish = () => {
    const dice = random()
    const before = sent.length
    if (dice < 0.1) held.push(size++)
    else if (dice < 0.2 && held.length > 0) sent.push(held.shift() ?? 0)
    else if (dice < 0.25 && sent.length > 0) sent.push(sent[upTo(sent.length - 1)] ?? 0)
    else sent.push(size++)
    if (sent.length > before && random() < 0.5) ctx.issued.expect(commit(before))
  }
  const deliver = (seq: number) => {
    const logIndex = sent[seq - 1] ?? 0
    return { seq, at, logIndex, isOutcome: false, alert: alertAt(logIndex) }
  }
  /**
   * Simulates a commit of alerts that this instance issues; the other half of the alerts come from
   * another instance. The result is delayed, and sometimes an error instead.
   */
  const commit = async (after: number) => {
    await turns(6)
    if (random() < 0.1) throw new Error('The connection broke')
    return { after, last: after + 1, deliveries: () => [deliver(after + 1)] }
  }
  for (let count = upTo(12); count > 0; count -= 1) publish()

  const deps = {
    findActor: async () => null,
    findActorOfSession: async () => {
      await turns(4)
      return actor
    },
    createChallenge: () => Promise.reject(new Error('No program here')),
    verifyResponse: () => Promise.reject(new Error('No program here')),
    isStillAccepted: async () => true,
    authenticateKey: async () => {
      throw new Error('This test has no API keys')
    },
    findKey: async () => null,
    findAccountOfWallet: async () => null,
    listPastPeriods: async () => [],
    findEntitlement: async () => {
      await turns(3)
      return { planId: '24h' as const, startsAt: at, endsAt }
    },
    loadDeliveries: async (_ctx: Context, afterSeq: number, limit: number) => {
      await turns(4)
      const page = sent.slice(afterSeq, afterSeq + limit)
      await turns(4)
      return page.map((_, place) => deliver(afterSeq + place + 1))
    },
    lastDeliverySeq: async () => {
      const seq = sent.length
      await turns(3)
      return seq
    },
    highestDeliveredIndex: async () => {
      const highest = sent.length === 0 ? null : Math.max(...sent)
      await turns(3)
      return highest
    },
    // No account in this test has lost its right to read.
    loadOwedDeliveries: async () => [],
    loadAlertsAnchoredBetween: async () => [],
    resumePoint: async (_ctx: Context, lastIndex: number) => {
      const own = sent.indexOf(lastIndex)
      const next = own >= 0 ? own + 1 : sent.findIndex((index) => index > lastIndex)
      await turns(3)
      return next < 0 ? sent.length : next
    },
    findLogId: async () => logId,
    logSize: async () => size,
  }
  let fanOuts = 0
  const fanOut = (frames: Frame[], isAnnounced: boolean) => {
    fanOuts += 1
    stream.fanOut(connection ? [connection] : [], frames, isAnnounced)
  }
  const reader = createReader(
    ctx,
    deps,
    fanOut,
    never,
    () => {},
    () => {
      throw new Error('No delivery was lost')
    },
  )
  const stream = createStream(ctx, { ...deps, ...cacheHistoryReads(deps, () => fanOuts) }, reader, never)

  const seenAtFirst = sent.length === 0 ? null : upTo(sent.length - 1)
  const first = seenAtFirst === null ? null : (sent[seenAtFirst] ?? 0)
  const hadBefore = new Set(seenAtFirst === null ? [] : sent.slice(0, sent.indexOf(first ?? 0) + 1))
  const tracker = new DeliveryTracker(first)
  for (const index of hadBefore) tracker.classify(alertAt(index), false)
  const announced: number[] = []
  const wire: number[] = []
  let connection: Connection | null = null
  let isLive = false
  const connect = () => {
    isLive = false
    tracker.startBackfill()
    const opened = openHandoverConnection((bytes) => {
      if (connection !== opened) return
      for (const message of readMessages(bytes)) {
        if (message.type === 'live') {
          isLive = true
          tracker.moveCursor(message.lastIndex, message.recovered)
          tracker.endBackfill()
        }
        if (message.type !== 'new_alert') continue
        wire.push(message.alert.logIndex)
        if (tracker.classify(message.alert, false) !== 'update') announced.push(message.alert.logIndex)
      }
    })
    connection = opened
    const { highestIndex } = tracker
    const cursor = highestIndex === null ? {} : { lastIndex: highestIndex, logId }
    void stream.authenticate(opened, walletAddress, cursor)
  }
  const hangUp = () => {
    connection?.leaveStream()
    connection = null
  }

  const begun = first === null ? null : 0
  if (begun !== null) connect()
  for (let step = 10 + upTo(40); step > 0; step -= 1) {
    const dice = random()
    if (dice < 0.5) publish()
    if (dice > 0.3 && dice < 0.8) wake(sent.length)
    if (begun !== null && dice > 0.9) hangUp()
    if (begun !== null && connection === null && random() < 0.5) connect()
    if (connection && dice > 0.8 && dice < 0.9) stream.recheck(connection)
    await turns(8)
  }
  if (begun !== null && connection === null) connect()
  wake(sent.length)
  for (let wait = 0; wait < 2_000 && begun !== null && !isSettled(); wait += 1) await Promise.resolve()
  await reader.close()
  const due = begun === null ? [] : [...new Set(sent)].filter((index) => !hadBefore.has(index))
  return { announced, due, wire }

  function isSettled(): boolean {
    return (
      isLive &&
      connection?.streamSubscription.sendQueue?.isHeld === false &&
      [...new Set(sent)].every((index) => hadBefore.has(index) || announced.includes(index))
    )
  }
}

const actor = testActor('account', { sessionId: 'session', provedWallets: [walletAddress] })

/**
 * Creates a context with replaced tables. `anchor` adds an anchor and announces it. `heartbeat`
 * simulates the answer to a heartbeat.
 */
export function createHandoverContext(at: Date): {
  ctx: Context
  wake(seq: number): void
  heartbeat(newest: NewestRows): void
  anchor(mark: AnchorMark, isAnnounced?: boolean): void
} {
  const listeners = new Map<string, (key: string) => void>()
  let onHeartbeat = (_newest: NewestRows) => {}
  const marks: AnchorMark[] = []
  const markRows = { from: () => ({ orderBy: () => ({ limit: async () => [...marks] }) }) }
  const parts = {
    config: testConfig(),
    clock: { now: () => at, readDatabaseTime: async () => at },
    failpoint: () => {},
    isBreached: async () => false,
    findLocation: () => null,
    issued: new IssuedDeliveries(),
    db: { select: () => markRows },
    logger: {
      error: ({ err }: { err: unknown }) => {
        throw err
      },
    },
    notifications: {
      on: (topic: string, listener: (key: string) => void) => {
        listeners.set(topic, listener)
        return () => {}
      },
      watch: (_value: unknown, listener: (newest: NewestRows) => void) => {
        onHeartbeat = listener
        return () => {}
      },
    },
  }
  return {
    // The cast is safe: in this test, the stream uses nothing else of the context.
    ctx: parts as unknown as Context,
    heartbeat: (newest) => onHeartbeat(newest),
    wake(seq) {
      listeners.get('deliveries')?.(String(seq))
    },
    anchor(mark, isAnnounced = true) {
      marks.unshift(mark)
      if (isAnnounced) listeners.get('anchors')?.('')
    },
  }
}

function openHandoverConnection(write: (bytes: Buffer) => void): Connection {
  const ws = { readyState: 1, close() {}, ping() {} }
  const socket = { write, writableLength: 0, writableNeedDrain: false, destroyed: false, writable: true }
  // The casts are safe, because a connection uses only these parts of the two sockets.
  return new Connection(ws as unknown as WebSocket, socket as unknown as Socket, {
    sessionId: 'session',
    sessionEndsAt: new Date(8.64e15),
    accountId: 'account',
    permissions: [],
  })
}

function* readMessages(bytes: Buffer) {
  for (let index = 0; index < bytes.length; ) {
    const short = bytes.readUInt8(index + 1)
    const start = index + (short < 126 ? 2 : 4)
    const length = short < 126 ? short : bytes.readUInt16BE(index + 2)
    yield serverMessage.parse(JSON.parse(bytes.toString('utf8', start, start + length)))
    index = start + length
  }
}
