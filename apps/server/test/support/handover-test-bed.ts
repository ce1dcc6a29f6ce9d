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
const neverScheduler: Scheduler = { after: () => () => {}, every: () => () => {} }

export function createTestAlert(logIndex: number): Alert {
  const emptyFields = { targetIndex: null, targetLeafHash: null, supersededBy: null, signalHash: null, treeSize: null }
  const proof = { signer: '0x', signature: '0x', leafHash: '0x', merklePath: [], root: null, avalancheTx: null }
  const text = { asset: 'A', summary: 'B', regime: '', anomalyType: '', confidence: 50, priority: 'low' } as const
  const times = { createdAt: '2026-01-15T12:00:00.000Z', anchoredAt: null }
  return {
    ...emptyFields,
    ...proof,
    ...text,
    ...times,
    id: `alert-${logIndex}`,
    kind: 'alert',
    origin: 'feed',
    logIndex,
  }
}

/**
 * Publishes alerts while a client connects, disconnects and resumes, and while its rights are
 * checked again. Some alerts are broadcast late or twice.
 * @returns the log indexes that the client received, those that it should have received, and those
 * in the raw messages
 */
export async function simulateHandover(seed: number): Promise<{ announced: number[]; due: number[]; wire: number[] }> {
  const random = createRandom(seed)
  const randomUpTo = (max: number) => Math.floor(random() * (max + 1))
  const waitTurns = async (max: number) => {
    for (let turnsLeft = randomUpTo(max); turnsLeft > 0; turnsLeft -= 1) await Promise.resolve()
  }
  const at = new Date('2026-01-15T12:00:00.000Z')
  const endsAt = new Date('2026-01-16T12:00:00.000Z')
  const { ctx, wake } = createHandoverContext(at)
  /** Log indexes in broadcast order: `seq` is the position, starting at 1. */
  const sentIndexes: number[] = []
  let size = 0
  const heldIndexes: number[] = []
  const publish = () => {
    const dice = random()
    const sentBefore = sentIndexes.length
    if (dice < 0.1) heldIndexes.push(size++)
    else if (dice < 0.2 && heldIndexes.length > 0) sentIndexes.push(heldIndexes.shift() ?? 0)
    else if (dice < 0.25 && sentIndexes.length > 0)
      sentIndexes.push(sentIndexes[randomUpTo(sentIndexes.length - 1)] ?? 0)
    else sentIndexes.push(size++)
    if (sentIndexes.length > sentBefore && random() < 0.5) ctx.issued.registerCommit(commit(sentBefore))
  }
  const createDelivery = (seq: number) => {
    const logIndex = sentIndexes[seq - 1] ?? 0
    return { seq, at, logIndex, isOutcome: false, alert: createTestAlert(logIndex) }
  }
  /**
   * Simulates the commit of an alert that this instance issues. About half of the alerts come from
   * another instance and have no commit here. The commit takes a random time, and sometimes fails.
   */
  const commit = async (after: number) => {
    await waitTurns(6)
    if (random() < 0.1) throw new Error('The connection broke')
    return { previousSeq: after, lastSeq: after + 1, deliveries: () => [createDelivery(after + 1)] }
  }
  for (let count = randomUpTo(12); count > 0 || sentIndexes.length === 0; count -= 1) publish()

  const deps = {
    findActor: async () => null,
    findActorOfSession: async () => {
      await waitTurns(4)
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
      await waitTurns(3)
      return { planId: '24h' as const, startsAt: at, endsAt }
    },
    loadDeliveries: async (_ctx: Context, afterSeq: number, limit: number) => {
      await waitTurns(4)
      const page = sentIndexes.slice(afterSeq, afterSeq + limit)
      await waitTurns(4)
      return page.map((_, position) => createDelivery(afterSeq + position + 1))
    },
    findLastDeliverySeq: async () => {
      const seq = sentIndexes.length
      await waitTurns(3)
      return seq
    },
    findHighestDeliveredIndex: async () => {
      const highest = Math.max(...sentIndexes)
      await waitTurns(3)
      return highest
    },
    // No account in this test has lost its right to read.
    loadOwedDeliveries: async () => [],
    loadAlertsAnchoredBetween: async () => [],
    findResumeSeq: async (_ctx: Context, lastIndex: number) => {
      const ownPosition = sentIndexes.indexOf(lastIndex)
      const next = ownPosition >= 0 ? ownPosition + 1 : sentIndexes.findIndex((index) => index > lastIndex)
      await waitTurns(3)
      return next < 0 ? sentIndexes.length : next
    },
    findLogId: async () => logId,
    getLogSize: async () => size,
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
    neverScheduler,
    () => {},
    () => {
      throw new Error('No delivery was lost')
    },
  )
  const stream = createStream(ctx, { ...deps, ...cacheHistoryReads(deps, () => fanOuts) }, reader, neverScheduler)

  const firstIndex = sentIndexes[randomUpTo(sentIndexes.length - 1)] ?? 0
  const seenBefore = new Set(sentIndexes.slice(0, sentIndexes.indexOf(firstIndex) + 1))
  const tracker = new DeliveryTracker(firstIndex)
  for (const index of seenBefore) tracker.classify(createTestAlert(index), false)
  const announced: number[] = []
  const wire: number[] = []
  let connection: Connection | null = null
  let isLive = false
  const connect = () => {
    isLive = false
    tracker.startBackfill()
    const openedConnection = openHandoverConnection((bytes) => {
      if (connection !== openedConnection) return
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
    connection = openedConnection
    void stream.authenticate(openedConnection, walletAddress, { lastIndex: tracker.highestIndex ?? 0, logId })
  }
  const disconnect = () => {
    connection?.leaveStream()
    connection = null
  }

  connect()
  for (let step = 10 + randomUpTo(40); step > 0; step -= 1) {
    const dice = random()
    if (dice < 0.5) publish()
    if (dice > 0.3 && dice < 0.8) wake(sentIndexes.length)
    if (dice > 0.9) disconnect()
    if (connection === null && random() < 0.5) connect()
    if (connection && dice > 0.8 && dice < 0.9) stream.recheck(connection)
    await waitTurns(8)
  }
  if (connection === null) connect()
  wake(sentIndexes.length)
  for (let turn = 0; turn < 2_000 && !hasReceivedEverything(); turn += 1) await Promise.resolve()
  await reader.close()
  const due = [...new Set(sentIndexes)].filter((index) => !seenBefore.has(index))
  return { announced, due, wire }

  function hasReceivedEverything(): boolean {
    return (
      isLive &&
      connection?.streamSubscription.sendQueue?.isHeld === false &&
      [...new Set(sentIndexes)].every((index) => seenBefore.has(index) || announced.includes(index))
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
  /** Announces that the connection for notifications was replaced. */
  reconnect(): void
  heartbeat(newest: NewestRows): void
  anchor(mark: AnchorMark, isAnnounced?: boolean): void
} {
  const listeners = new Map<string, (key: string) => void>()
  let onHeartbeat = (_newest: NewestRows) => {}
  const marks: AnchorMark[] = []
  const markRows = { from: () => ({ orderBy: () => ({ limit: async () => [...marks] }) }) }
  const contextParts = {
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
      catchUp: async () => true,
    },
  }
  return {
    // The cast is safe: in this test, the stream uses nothing else of the context.
    ctx: contextParts as unknown as Context,
    heartbeat: (newest) => onHeartbeat(newest),
    wake(seq) {
      listeners.get('deliveries')?.(String(seq))
    },
    reconnect() {
      listeners.get('deliveries')?.('')
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
    const shortLength = bytes.readUInt8(index + 1)
    const start = index + (shortLength < 126 ? 2 : 4)
    const length = shortLength < 126 ? shortLength : bytes.readUInt16BE(index + 2)
    yield serverMessage.parse(JSON.parse(bytes.toString('utf8', start, start + length)))
    index = start + length
  }
}
