import { closeCodes } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Scheduler } from '../../scheduler.ts'
import { type Authorization, authorize, type Rights } from './authorization.ts'
import { backfill, type History } from './backfill.ts'
import type { Connection } from './connection.ts'
import { type Frame, joinFrames, plainFrame } from './frame.ts'
import { Outbox } from './outbox.ts'
import type { Reader } from './reader.ts'

export interface Stream {
  /** Answers `authenticate`: refused, or in the stream and up to date. */
  authenticate(connection: Connection, walletAddress: string, lastIndex: number | undefined): Promise<void>
  /** Its account's rights may have changed: nothing more reaches it before they were read again. */
  recheck(connection: Connection): void
  fanOut(connections: Iterable<Connection>, frames: Frame[]): void
}

/** More than this waiting for one socket means that something hangs: it shall come back and resume. */
const MAX_WAITING = 2_000

/** Who hears what: every socket's way into the stream, through it and out of it. */
export function createStream(
  ctx: Context,
  deps: Rights & History,
  reader: Pick<Reader, 'ready' | 'highestIndex'>,
  scheduler: Scheduler,
): Stream {
  const nowMs = () => ctx.clock.now().getTime()

  /** Reads until nothing changed while it was reading. */
  const readRights = async (connection: Connection, walletAddress: string): Promise<Authorization> => {
    for (;;) {
      const { changes } = connection
      const authorization = await authorize(ctx, deps, connection.sessionId, {
        accountId: connection.accountId,
        walletAddress,
      })
      if (connection.changes === changes) return authorization
    }
  }

  const setExpiry = (connection: Connection, entitledUntilMs: number) => {
    connection.stopExpiry()
    connection.entitledUntilMs = entitledUntilMs
    if (entitledUntilMs === Number.POSITIVE_INFINITY) return
    connection.stopExpiry = scheduler.after(entitledUntilMs - nowMs(), () => recheck(connection))
  }

  const expire = (connection: Connection, message: string, closeCode: number) => {
    if (closeCode === closeCodes.entitlementEnded) connection.send({ type: 'subscription_expired', message })
    connection.end(closeCode, message)
  }

  const authenticate: Stream['authenticate'] = async (connection, walletAddress, lastIndex) => {
    connection.leaveStream()
    await reader.ready
    const rights = await readRights(connection, walletAddress)
    if (!connection.isOpen) return
    if (!rights.allowed) return connection.send({ type: 'authentication_failed', message: rights.message })
    const outbox = new Outbox((bytes) => connection.write(bytes))
    connection.walletAddress = walletAddress
    connection.outbox = outbox
    setExpiry(connection, rights.entitledUntilMs)
    const subscriptionExpiry = rights.expiresAt?.toISOString() ?? null
    connection.send({ type: 'authenticated', planType: rights.planType, subscriptionExpiry })
    await catchUp(connection, outbox, lastIndex)
  }

  const catchUp = async (connection: Connection, outbox: Outbox, lastIndex: number | undefined) => {
    outbox.hold()
    const { recovered, highestIndex } =
      lastIndex === undefined
        ? { recovered: true, highestIndex: null }
        : await backfill(ctx, deps, connection, outbox, lastIndex)
    if (connection.outbox !== outbox) return
    // Behind what waits, so that it is said when that has gone out.
    outbox.push(plainFrame({ type: 'live', lastIndex: highest(reader.highestIndex(), highestIndex), recovered }))
    outbox.release()
  }

  const recheck: Stream['recheck'] = (connection) => {
    connection.changes += 1
    const { outbox, walletAddress } = connection
    if (!outbox || !walletAddress || connection.checking === outbox) return
    connection.checking = outbox
    outbox.hold()
    settle(connection, outbox, walletAddress).catch((error) => {
      ctx.logger.error({ err: error }, 'reading the rights of a socket failed')
      connection.end(closeCodes.restart, 'Connect again')
    })
  }

  const settle = async (connection: Connection, outbox: Outbox, walletAddress: string) => {
    const rights = await readRights(connection, walletAddress)
    if (connection.outbox !== outbox) return
    connection.checking = null
    if (!rights.allowed) return expire(connection, expiryMessage(rights.message), rights.closeCode)
    const changed = rights.entitledUntilMs !== connection.entitledUntilMs
    setExpiry(connection, rights.entitledUntilMs)
    if (changed) {
      connection.send({ type: 'subscription_status', expiryDate: rights.expiresAt?.toISOString() ?? null })
    }
    outbox.release()
  }

  const fanOut: Stream['fanOut'] = (connections, frames) => {
    const batch = joinFrames(frames)
    const now = nowMs()
    for (const connection of connections) {
      const { outbox } = connection
      if (!outbox) continue
      if (connection.entitledUntilMs <= now) recheck(connection)
      outbox.pushBatch(batch)
      if (outbox.waiting > MAX_WAITING) connection.end(closeCodes.restart, 'Connect again')
    }
  }

  return { authenticate, recheck, fanOut }
}

function highest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.max(a, b)
}

function expiryMessage(reason: string): string {
  return reason === 'No active subscription' ? 'Your subscription has ended' : reason
}
