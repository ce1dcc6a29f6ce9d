import { closeCodes, type ServerMessage } from '@tocsin/protocol'
import { CHAIN_SETTING, findPaymentChain } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { encodeMessage } from './frame.ts'
import type { Stream } from './stream.ts'

const PING_MS = 30_000
/** Interval of the heartbeats. Clients reconnect after 18 s without a message. */
const HEARTBEAT_MS = 10_000
const PROGRESS_MS = 1_000
/**
 * Interval of checks for expired sessions, and of retries of checks and notifications. An expiring
 * session sends no notification, but the time of its end is known.
 */
const EXPIRY_CHECK_MS = 2_000
/**
 * Interval at which sessions are read again, because the notification of an ended session can be
 * lost.
 */
const SESSION_CHECK_MS = 300_000

/** Returns when each of the sessions ends. Sessions that have ended are missing. */
export type FindSessionEnds = (ctx: Context, ids: readonly string[]) => Promise<Map<string, Date>>

/**
 * Closes sockets whose session, rights or peer are gone, sends heartbeats, and notifies pages of
 * changes. Returns a function that stops the maintenance.
 */
export function startConnectionMaintenance(
  ctx: Context,
  connections: Connections,
  { stream, isStale, findSessionEnds }: { stream: Stream; isStale: () => boolean; findSessionEnds: FindSessionEnds },
  scheduler: Scheduler,
): () => void {
  const endSession = (id: string) => {
    if (id === '') return void checkAllSessions()
    for (const connection of connections.all()) {
      if (connection.sessionId === id) connection.end(closeCodes.sessionEnded, 'The session has ended')
    }
  }
  /**
   * Closes the sockets of sessions that have ended, and stores the new end of the other sessions.
   * @returns false if the sessions could not be read
   */
  const readSessionEnds = async (connections: readonly Connection[]): Promise<boolean> => {
    const ids = [...new Set(connections.flatMap(({ sessionId }) => sessionId ?? []))]
    if (ids.length === 0) return true
    try {
      const sessionEnds = await findSessionEnds(ctx, ids)
      for (const id of ids) if (!sessionEnds.has(id)) endSession(id)
      for (const connection of connections)
        connection.setSessionEnd(sessionEnds.get(connection.sessionId ?? '') ?? null)
      return true
    } catch (error) {
      ctx.logger.error({ err: error }, 'checking for ended sessions failed')
      return false
    }
  }
  /**
   * True if the sessions of all sockets must be read, because a notification may have been lost.
   * Stays true until a read has succeeded: after a lost connection, the database is often still
   * unavailable.
   */
  let isCheckOfAllDue = false
  let isChecking = false
  const checkSessions = async () => {
    if (isChecking) return
    const now = ctx.clock.now()
    const checksAll = isCheckOfAllDue
    const dueConnections = [...connections.all()].filter(
      ({ sessionEndsAt }) => checksAll || (sessionEndsAt !== null && sessionEndsAt <= now),
    )
    if (dueConnections.length === 0) return
    isChecking = true
    isCheckOfAllDue = false
    const hasSucceeded = await readSessionEnds(dueConnections)
    if (checksAll && !hasSucceeded) isCheckOfAllDue = true
    isChecking = false
  }
  const checkAllSessions = () => {
    isCheckOfAllDue = true
    return checkSessions()
  }
  /**
   * Closes the sockets of a revoked API key. If the id is empty, rechecks the sockets of all keys.
   * The expiry of a key limits the right to read, which the stream rechecks when it ends.
   */
  const endKey = (id: string) => {
    for (const connection of connections.all()) {
      const { keyId } = connection.program
      if (keyId === null) continue
      if (id === '') stream.recheck(connection)
      else if (keyId === id) connection.end(closeCodes.sessionEnded, 'The API key was revoked')
    }
  }
  /** An empty id means that the accounts of all connections may be affected. */
  const affectedBy = (accountId: string): Iterable<Connection> =>
    accountId === '' ? connections.all() : connections.ofAccount(accountId)
  const recheckAccount = (accountId: string) => {
    for (const connection of affectedBy(accountId)) stream.recheck(connection)
  }

  /** True if the last notification of a changed payment chain failed and must be repeated. */
  let isChainDue = false
  /**
   * Notifies all sockets that the payment chain has changed, even without the right to read,
   * because the chain concerns purchases.
   */
  const notifyChain = async () => {
    isChainDue = false
    try {
      const { id, name } = await findPaymentChain(ctx)
      const bytes = encodeMessage({ type: 'chain_changed', chainId: String(id), chainName: name })
      for (const connection of connections.all()) connection.write(bytes)
    } catch (error) {
      isChainDue = true
      ctx.logger.error({ err: error }, 'notifying pages of the payment chain failed')
    }
  }

  /**
   * Notifies the account's other sessions. Within a browser, the tab that made the change informs
   * the other tabs.
   */
  const notifyOtherSessions = (
    connectionsToNotify: Iterable<Connection>,
    sessionId: string | undefined,
    message: ServerMessage,
  ) => {
    const bytes = encodeMessage(message)
    for (const connection of connectionsToNotify) {
      if (connection.sessionId !== null && connection.sessionId !== sessionId) connection.write(bytes)
    }
  }
  const notifyPreferences = (key: string) => {
    const [accountId = '', sessionId] = key.split('/')
    notifyOtherSessions(affectedBy(accountId), sessionId, { type: 'preferences_changed' })
  }
  /**
   * Notifies the account's other sessions of read alerts. The notification is lost if the database
   * connection is lost, but pages poll the read state once a minute.
   */
  const notifyReads = (key: string) => {
    const [accountId = '', sessionId] = key.split('/')
    notifyOtherSessions(connections.ofAccount(accountId), sessionId, { type: 'reads_changed' })
  }

  const notifyAcknowledgements = (accountId: string) => {
    notifyOtherSessions(affectedBy(accountId), undefined, { type: 'acknowledgements_changed' })
  }

  const ping = () => {
    for (const connection of connections.all()) connection.liveness.ping()
  }
  const heartbeat = () => {
    // While this instance cannot read new alerts, send no heartbeat: older clients take a heartbeat
    // as proof that they miss nothing.
    if (isStale()) return
    const bytes = encodeMessage({ type: 'heartbeat', at: ctx.clock.now().toISOString() })
    for (const connection of connections.all()) {
      if (connection.isListening || connection.permissions.length > 0) connection.write(bytes)
    }
  }
  let checks = 0
  const checkProgress = () => {
    checks += 1
    for (const connection of connections.all()) connection.checkProgress(performance.now(), checks)
  }

  const stops = [
    ctx.notifications.on('entitlement', recheckAccount),
    ctx.notifications.on('session', endSession),
    ctx.notifications.on('api-key', endKey),
    ctx.notifications.on('preferences', notifyPreferences),
    ctx.notifications.on('reads', notifyReads),
    ctx.notifications.on('acknowledgements', notifyAcknowledgements),
    ctx.notifications.on('settings', (key) => {
      if (key === CHAIN_SETTING || key === '') void notifyChain()
    }),
    scheduler.every(PING_MS, ping),
    scheduler.every(HEARTBEAT_MS, heartbeat),
    scheduler.every(PROGRESS_MS, checkProgress),
    scheduler.every(EXPIRY_CHECK_MS, () => {
      void checkSessions()
      if (isChainDue) void notifyChain()
    }),
    scheduler.every(SESSION_CHECK_MS, () => void checkAllSessions()),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
