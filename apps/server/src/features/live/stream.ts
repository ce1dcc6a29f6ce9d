import { closeCodes, type LivePrices, type PlanId } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { Quotas } from '../../quota.ts'
import type { Scheduler } from '../../scheduler.ts'
import { type Authorization, authorize, type RightsReader } from './authorization.ts'
import { backfill, collectOwedFrames, type History } from './backfill.ts'
import type { Connection } from './connection.ts'
import { createPlainFrame, encodeMessage, type Frame, joinFrames } from './frame.ts'
import type { DeliveryReader } from './reader.ts'
import { SendQueue } from './send-queue.ts'
import { WriteBatch } from './write-batch.ts'

/**
 * The position from which a client resumes: the highest log index that it has seen, and the log's
 * id.
 */
export interface Cursor {
  lastIndex?: number | undefined
  logId?: string | undefined
}

export interface Stream {
  /**
   * Handles `authenticate`, and `auth` or `auth_key` after the wallet or key was verified: rejects
   * the client, or adds it to the stream and sends what it missed.
   * @param walletAddress null if an API key authenticated the socket
   */
  authenticate(connection: Connection, walletAddress: string | null, cursor: Cursor): Promise<void>
  /**
   * Call it when the account's rights may have changed. Frames wait in the send queue until the
   * rights have been read again.
   */
  recheck(connection: Connection): void
  /**
   * Sends frames to the connections.
   * @param isAnnounced false if the rights of every socket must be read again first
   */
  fanOut(connections: Iterable<Connection>, frames: Frame[], isAnnounced: boolean): void
  /** Sends prices to the sockets that may receive alerts now. Nothing is queued for later. */
  sendPrices(connections: Iterable<Connection>, prices: LivePrices): void
  deleteIdle(nowMs: number): void
}

/**
 * Maximum number of frames that wait in the send queue of a socket. If there are more, its backfill
 * or the read of its rights hangs, so the client must reconnect and resume.
 */
const MAX_WAITING_FRAMES = 2_000
/**
 * Maximum number of missed alerts that an account may request per minute, over all of its sockets:
 * enough for five full backfills. Above that, clients load the list instead.
 */
const MAX_BACKFILL_PER_MINUTE = 5_000
const SUBSCRIPTION_ENDED = 'Your subscription has ended'

type RefusedAuthorization = Extract<Authorization, { allowed: false }>

/** Creates the stream: it adds sockets, sends them alerts and prices, and removes them. */
export function createStream(
  ctx: Context,
  deps: RightsReader & History,
  reader: Pick<DeliveryReader, 'ready' | 'highestIndex'>,
  scheduler: Scheduler,
): Stream {
  const nowMs = () => ctx.clock.now().getTime()
  const backfillQuotas = new Quotas(MAX_BACKFILL_PER_MINUTE, MINUTE_MS)
  let knownLogId: string | null = null
  const findLogId = async () => {
    knownLogId ??= await deps.findLogId(ctx)
    return knownLogId
  }

  /** Reads the rights, and repeats the read if they may have changed in the meantime. */
  const readRights = async (connection: Connection, walletAddress: string | null): Promise<Authorization> => {
    for (;;) {
      const { sessionId, accountId, streamSubscription, program } = connection
      const { changes } = streamSubscription
      if (accountId === null) throw new Error('This socket is not authenticated')
      const authorization = await authorize(ctx, deps, {
        ...{ sessionId, accountId, walletAddress },
        ...{ chainId: program.evidence?.chainId ?? null, keyId: program.keyId },
      })
      if (streamSubscription.changes === changes) return authorization
    }
  }

  const setExpiry = (connection: Connection, entitledUntilMs: number) => {
    const canExpire = entitledUntilMs !== Number.POSITIVE_INFINITY
    const stopExpiry = canExpire ? scheduler.after(entitledUntilMs - nowMs(), () => recheck(connection)) : () => {}
    connection.streamSubscription.setEnd(entitledUntilMs, stopExpiry)
  }

  /** Notifies the client that its right to read has ended. Returns the reason for the close. */
  const sendAccessEnd = (connection: Connection, { reason, message, closeCode }: RefusedAuthorization): string => {
    const text = reason === 'subscription' ? SUBSCRIPTION_ENDED : message
    if (connection.program.usesSummaryFormat && reason === 'subscription') {
      connection.send({ type: 'subscription_update', status: 'expired', expiresAt: null })
    } else if (closeCode === closeCodes.entitlementEnded) {
      connection.send({ type: 'subscription_expired', message: text })
    }
    return text
  }

  const sendAuthenticated = (connection: Connection, planType: PlanId | null, expiresAt: Date | null) => {
    const subscriptionExpiry = expiresAt?.toISOString() ?? null
    connection.send({ type: 'authenticated', planType, subscriptionExpiry })
    if (!connection.program.usesSummaryFormat) return
    connection.send({ type: 'subscription_update', status: 'active', expiresAt: subscriptionExpiry })
  }

  const authenticate: Stream['authenticate'] = async (connection, walletAddress, cursor) => {
    connection.leaveStream()
    await reader.ready
    const rights = await readRights(connection, walletAddress)
    if (!connection.isOpen) return
    if (!rights.allowed) return refuseClient(connection, rights, cursor)
    const sendQueue = new SendQueue(connection)
    connection.streamSubscription.join(sendQueue, walletAddress)
    setExpiry(connection, rights.entitledUntilMs)
    sendAuthenticated(connection, rights.planType, rights.expiresAt)
    await catchUp(connection, sendQueue, cursor)
  }

  const refuseClient = async (connection: Connection, authorization: RefusedAuthorization, cursor: Cursor) => {
    const hasSentOwed = authorization.reason === 'subscription' && (await sendOwedAlerts(connection, cursor))
    const reason = hasSentOwed ? sendAccessEnd(connection, authorization) : null
    // Also sent after the owed alerts, so that the client does not reconnect. Alerts with a lower
    // index than its cursor do not move the cursor, so it would get them again on each reconnect.
    connection.send({ type: 'authentication_failed', message: authorization.message })
    if (reason !== null) connection.end(authorization.closeCode, reason)
  }

  /**
   * Sends the alerts that were broadcast during the account's past subscriptions, while the client
   * was offline. Returns false if no alert was sent, for example because the client has received
   * all of them.
   */
  const sendOwedAlerts = async (connection: Connection, { lastIndex, logId }: Cursor): Promise<boolean> => {
    const { accountId } = connection
    if (lastIndex === undefined || accountId === null || (await isOfAnotherLog(lastIndex, logId))) return false
    const periods = await deps.listPastPeriods(ctx, accountId, ctx.clock.now())
    const lastPeriod = periods.at(-1)
    if (!lastPeriod) return false
    const isInPaidPeriod = (at: Date) => periods.some(({ startsAt, endsAt }) => startsAt <= at && at < endsAt)
    const owedFrames = await collectOwedFrames(ctx, deps, lastIndex, isInPaidPeriod, createQuotaConsumer(connection))
    if (owedFrames.length === 0) return false
    connection.send({
      type: 'authenticated',
      planType: lastPeriod.planId,
      subscriptionExpiry: lastPeriod.endsAt.toISOString(),
    })
    for (const frame of owedFrames) {
      await connection.transport.waitForDrain()
      connection.deliver(frame)
    }
    return true
  }

  const createQuotaConsumer =
    ({ accountId }: Connection) =>
    (count: number) =>
      backfillQuotas.consume(accountId ?? '', performance.now(), count)

  const isOfAnotherLog = async (lastIndex: number, logId: string | undefined) => {
    if (logId !== undefined && logId !== (await findLogId())) return true
    const highestIndex = reader.highestIndex()
    // An index beyond the log proves that the client's cursor belongs to another, longer log.
    return (highestIndex === null || lastIndex > highestIndex) && lastIndex >= (await deps.getLogSize(ctx))
  }

  const catchUp = async (connection: Connection, sendQueue: SendQueue, { lastIndex, logId }: Cursor) => {
    sendQueue.hold()
    const { recovered, highestIndex } = await backfillMissed(connection, sendQueue, lastIndex, logId)
    const ourLogId = await findLogId()
    if (connection.streamSubscription.sendQueue !== sendQueue) return
    // The `live` message is queued behind the waiting frames, so that it is sent after them.
    const newestIndex = maxIndex(reader.highestIndex(), highestIndex)
    sendQueue.push(createPlainFrame({ type: 'live', lastIndex: newestIndex, logId: ourLogId, recovered }))
    sendQueue.release()
  }

  const backfillMissed = async (
    connection: Connection,
    sendQueue: SendQueue,
    lastIndex: number | undefined,
    logId: string | undefined,
  ) => {
    if (lastIndex === undefined) return { recovered: true, highestIndex: null }
    if (await isOfAnotherLog(lastIndex, logId)) return { recovered: false, highestIndex: null }
    return backfill(ctx, deps, connection, sendQueue, lastIndex, createQuotaConsumer(connection))
  }

  const recheck: Stream['recheck'] = (connection) => {
    connection.streamSubscription.recordChange()
    const startedRecheck = connection.streamSubscription.startRecheck()
    if (!startedRecheck) return
    startedRecheck.sendQueue.hold()
    applyRights(connection, startedRecheck.sendQueue, startedRecheck.walletAddress).catch((error) => {
      ctx.logger.error({ err: error }, 'reading the rights of a socket failed')
      connection.end(closeCodes.restart, 'Connect again')
    })
  }

  const applyRights = async (connection: Connection, sendQueue: SendQueue, walletAddress: string | null) => {
    const rights = await readRights(connection, walletAddress).catch((error) => {
      // A pooled connection can break unnoticed while it is idle. The pool then replaces it, so the
      // read is repeated: closing the sockets would make all clients reconnect at the same time.
      // Messages wait in the send queue until the rights are read.
      if (!isDatabaseUnavailable(error)) throw error
      return readRights(connection, walletAddress)
    })
    if (!connection.streamSubscription.finishRecheck(sendQueue)) return
    if (!rights.allowed) return connection.end(rights.closeCode, sendAccessEnd(connection, rights))
    const isEndChanged = rights.entitledUntilMs !== connection.streamSubscription.entitledUntilMs
    setExpiry(connection, rights.entitledUntilMs)
    if (isEndChanged) sendExpiry(connection, rights.expiresAt?.toISOString() ?? null)
    sendQueue.release()
  }

  const sendExpiry = (connection: Connection, expiryDate: string | null) => {
    if (connection.program.usesSummaryFormat) {
      connection.send({ type: 'subscription_update', status: 'active', expiresAt: expiryDate })
    } else {
      connection.send({ type: 'subscription_status', expiryDate })
    }
  }

  const fanOut: Stream['fanOut'] = (connections, frames, isAnnounced) => {
    const batch = joinFrames(frames)
    const now = nowMs()
    const writes = new WriteBatch(() => ctx.failpoint('fan-out: at a socket'))
    try {
      for (const connection of connections) {
        const { sendQueue, entitledUntilMs } = connection.streamSubscription
        if (!sendQueue) continue
        if (!isAnnounced || entitledUntilMs <= now) recheck(connection)
        sendQueue.pushBatch(batch, writes)
        if (sendQueue.waitingCount > MAX_WAITING_FRAMES) connection.end(closeCodes.restart, 'Connect again')
      }
    } finally {
      writes.flush()
    }
  }

  const sendPrices: Stream['sendPrices'] = (connections, prices) => {
    const bytes = encodeMessage({ type: 'prices', ...prices })
    const now = nowMs()
    const writes = new WriteBatch()
    for (const { streamSubscription, transport, program } of connections) {
      const { sendQueue, entitledUntilMs } = streamSubscription
      // A held queue means that the rights are being read again, or missed alerts are being sent.
      const isReady = sendQueue !== null && !sendQueue.isHeld && entitledUntilMs > now
      if (isReady && !program.usesSummaryFormat && transport.isOpen && !transport.hasUnsentBytes)
        writes.add(transport, bytes)
    }
    writes.flush()
  }

  return { authenticate, recheck, fanOut, sendPrices, deleteIdle: (nowMs) => backfillQuotas.deleteIdle(nowMs) }
}

function maxIndex(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.max(a, b)
}
