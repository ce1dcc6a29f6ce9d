import { setMaxListeners } from 'node:events'
import type { DestinationKind } from '@tocsin/protocol'
import { SECOND_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../pause.ts'
import { createBotRateLimiter } from './bot-rate.ts'
import { createChannelPause } from './channel-pause.ts'
import { createConcurrencyLimiter, type Key, MAIL_SERVER, type RequestSlot } from './concurrency-limiter.ts'
import { findHold } from './decide-destination.ts'
import { listDueDestinationTests } from './destination-test-store.ts'
import { isNoticeDue, type NoticeRetries, sendNotice } from './notices.ts'
import { createBatches, probe, sendDelivery } from './send-delivery.ts'
import {
  type Destination,
  type DueChannelDelivery,
  listDue,
  listNotices,
  listProbesDue,
  unmarkStarted,
} from './store.ts'
import { sendTest } from './test-destination.ts'

const RETRY_MS = SECOND_MS
/**
 * Maximum number of rows of a destination that are read per query. Only two of them are sent at the
 * same time, but the next ones need no other query.
 */
const MAX_ROWS_PER_DESTINATION = 8
/**
 * Maximum number of rows that are read per query. It is large, so that a slot that becomes free can
 * be used without another query.
 */
const MAX_ROWS = 1_024
/**
 * Number of rows that are read first after new rows were added. The query is short, so the first
 * message is sent early.
 */
const MAX_FIRST_ROWS = 128

export interface Sender {
  /**
   * Starts the deliveries that are due and have a slot.
   * @param mayHaveChanged false if the rows that were read before are still the next ones: since
   *   then, no row was enqueued that could be due earlier. These rows are then used without a new
   *   query.
   */
  startDue(now: Date, mayHaveChanged?: boolean): Promise<void>
  /**
   * Starts tests that owners wait for, notices about failing destinations, and hourly probes of
   * failing destinations.
   */
  startOtherMessages(now: Date): Promise<void>
  /** Ids of the deliveries that are being sent or recorded. */
  startedIds(): number[]
  /** Forgets the rows that were read and not started. Call this before other code changes them. */
  forgetRows(): void
  /**
   * Stores that deliveries whose request was not sent cannot have arrived. Otherwise, each of them
   * would be sent in a separate digest. Call this after `forgetRows`, and start no delivery before
   * it resolves.
   */
  unmarkUnsent(): Promise<void>
  /** Time until the bot may send again, or 0 if it may send now. */
  botWaitMs(): number
  /** Resolves when no delivery is running any more. */
  ended(): Promise<void>
}

interface LeftOutRows {
  /** True if the query reached its limit, so any due row may have been left out. */
  hasReachedLimit: boolean
  kinds: DestinationKind[]
  /** The hosts by destination id. */
  destinations: Map<string, string>
  hosts: string[]
}

/** Returns the host whose limit applies. All emails go to one server. */
const getHost = ({ kind, host }: Pick<Destination, 'kind' | 'host'>) => (kind === 'email' ? MAIL_SERVER : host)
const toHostEntry = (delivery: DueChannelDelivery) => [delivery.destinationId, getHost(delivery)] as const

/**
 * @param onChange called when further deliveries may be started
 * @param recordingContext context whose database records results, even after the lease was lost
 */
export function createSender(
  ctx: Context,
  onChange: () => void,
  signal: AbortSignal,
  { recordingContext = ctx, channelPause = createChannelPause(ctx, signal) } = {},
): Sender {
  /** Rows that were read but not started yet, in order. */
  let nextRows: DueChannelDelivery[] = []
  /** True if the database may have rows that are due before those in `nextRows`. */
  let isOutdated = false
  /** Rows that the last query did not return, although they may be due. */
  let leftOutRows: LeftOutRows = { hasReachedLimit: true, kinds: [], destinations: new Map(), hosts: [] }
  /**
   * When a slot becomes free, starts the next row immediately: `onChange` would wait for other work
   * of the loop, such as the enqueueing of new deliveries. Calls `onChange` only if there may be
   * further rows.
   */
  const limiter = createConcurrencyLimiter(() => {
    if (signal.aborted) return
    const now = ctx.clock.now()
    if (!isOutdated) startNext(now)
    if (isOutdated || mayHaveMoreRows(now)) onChange()
  })
  // Each request adds a listener to the signal, so disable the warning about too many listeners.
  setMaxListeners(0, signal)
  const batches = createBatches(ctx, { recordingContext, channelPause })
  const runningSends = new Set<Promise<void>>()
  /** Ids of the deliveries that are stored as started although no request was sent. */
  const unsentIds = new Set<number>()
  const pausedUntilMs = new Map<DestinationKind, number>()
  const bot = createBotRateLimiter()
  const noticeRetries: NoticeRetries = new Map()

  /** @returns false if there is no slot or the bot has to wait */
  const startSend = (
    key: Key,
    destination: Pick<Destination, 'id' | 'kind' | 'host'>,
    work: (slot: RequestSlot, onAnswer: () => void) => Promise<void>,
  ) => {
    if (destination.kind === 'telegram' && isBotBusy()) return false
    const slot = limiter.acquire(key, { id: destination.id, host: getHost(destination) })
    if (!slot) return false
    const botSlot = destination.kind === 'telegram' ? bot.reserve() : null
    const sending = work(slot, () => botSlot?.markAnswered())
      .catch((error: unknown) => {
        ctx.logger.error({ err: error, destinationId: destination.id }, 'sending to a destination failed, trying again')
        return pause(RETRY_MS, signal)
      })
      .finally(() => {
        runningSends.delete(sending)
        botSlot?.end()
        slot.release()
      })
    runningSends.add(sending)
    return true
  }
  const startMessage = (
    key: Key,
    destination: Destination,
    sendText: (ctx: Context, to: Destination, signal: AbortSignal) => Promise<void>,
  ) =>
    startSend(key, destination, async (slot, onAnswer) => {
      if (!(await slot.begin())) return
      await sendText(ctx, destination, signal)
      onAnswer()
    })
  const onPause = (kind: DestinationKind, until: Date) => void pausedUntilMs.set(kind, until.getTime())

  const startedIds = () => limiter.busy().keys.filter((key) => typeof key === 'number')
  /** Returns the kinds of destinations that are paused, and Telegram if no bot is configured. */
  const listPausedKinds = (now: Date): DestinationKind[] => {
    const kinds = [...pausedUntilMs].flatMap(([kind, untilMs]) => (untilMs > now.getTime() ? [kind] : []))
    return ctx.config.telegram === null ? [...kinds, 'telegram'] : kinds
  }
  const isBotBusy = () => bot.waitMs() > 0
  /** Returns the paused kinds, and Telegram while the bot has to wait. */
  const listStoppedKinds = (now: Date): DestinationKind[] =>
    isBotBusy() ? [...listPausedKinds(now), 'telegram'] : listPausedKinds(now)
  const isMailBusy = () => limiter.isHostFull(MAIL_SERVER) || nextRows.some(({ kind }) => kind === 'email')
  /** Returns the stopped kinds, and email while emails wait or the mail server has no free slot. */
  const listKindsNotRead = (now: Date): DestinationKind[] =>
    isMailBusy() ? [...listStoppedKinds(now), 'email'] : listStoppedKinds(now)

  /**
   * Starts rows in order. Keeps the rows that got no slot. Drops the rows of paused kinds; they are
   * read again after the pause.
   */
  const startNext = (now: Date) => {
    let remainingSlots = limiter.countFree()
    if (nextRows.length === 0 || remainingSlots <= 0) return
    const pausedNow = listPausedKinds(now)
    nextRows = nextRows.filter((delivery) => {
      if (pausedNow.includes(delivery.kind)) return false
      if (remainingSlots <= 0 || !startDelivery(delivery)) return true
      remainingSlots -= 1
      return false
    })
  }
  const startDelivery = (delivery: DueChannelDelivery): boolean => {
    const { id, kind, host, destinationId } = delivery
    return startSend(id, { id: destinationId, kind, host }, async (slot, onAnswer) => {
      const callbacks = { onPause, onAnswer, slot }
      const mayHaveArrived = !unsentIds.delete(id) && delivery.mayHaveArrived
      const correctedDelivery = { ...delivery, mayHaveArrived }
      if (await sendDelivery(ctx, batches, correctedDelivery, callbacks, { signal, channelPause })) return
      isOutdated = true
      if (!mayHaveArrived) unsentIds.add(id)
    })
  }
  /**
   * True if a query could return rows that the last one left out: rows that have a slot and are
   * not in `nextRows`.
   */
  const mayHaveMoreRows = (now: Date): boolean => {
    if (leftOutRows.hasReachedLimit) return true
    const busySlots = limiter.busy()
    const kinds = listKindsNotRead(now)
    const hosts = new Set([...busySlots.hosts, ...nextRows.map(getHost)])
    const destinations = new Set([
      ...busySlots.destinations.keys(),
      ...nextRows.map(({ destinationId }) => destinationId),
    ])
    return (
      leftOutRows.kinds.some((kind) => !kinds.includes(kind)) ||
      leftOutRows.hosts.some((host) => !hosts.has(host)) ||
      [...leftOutRows.destinations].some(([id, host]) => !destinations.has(id) && !hosts.has(host))
    )
  }
  /**
   * Returns what a query must exclude: rows that are being sent or are in `nextRows`, and
   * destinations, hosts and kinds that cannot get more now.
   */
  const listExclusions = (now: Date) => {
    const { destinations, hosts } = limiter.busy()
    return {
      kinds: listKindsNotRead(now),
      deliveries: [...startedIds(), ...nextRows.map(({ id }) => id)],
      destinations: new Map([...destinations, ...nextRows.map(toHostEntry)]),
      hosts,
    }
  }

  return {
    startedIds,
    forgetRows() {
      nextRows = []
      isOutdated = true
    },
    async unmarkUnsent() {
      const ids = [...unsentIds]
      if (ids.length === 0) return
      unsentIds.clear()
      // In a transaction, because it fails after the lease was lost: another instance may then have
      // sent the deliveries.
      await ctx.db.transaction((tx) => unmarkStarted(tx, ids))
    },
    botWaitMs: bot.waitMs,
    async startDue(now, mayHaveChanged = true) {
      isOutdated ||= mayHaveChanged
      if (limiter.countFree() <= 0) return
      const maxRows = isOutdated ? MAX_FIRST_ROWS : MAX_ROWS
      if (isOutdated) {
        nextRows = []
        leftOutRows = { ...leftOutRows, hasReachedLimit: true }
        isOutdated = false
      }
      startNext(now)
      if (limiter.countFree() <= 0 || !mayHaveMoreRows(now)) return
      const exclusions = listExclusions(now)
      const { kinds, hosts } = exclusions
      const excludedRows = { ...exclusions, destinations: [...exclusions.destinations.keys()] }
      const dueRows = await listDue(ctx.db, now, excludedRows, MAX_ROWS_PER_DESTINATION, maxRows)
      // The query returns a limited number of rows of each destination, so these destinations may
      // have further due rows.
      const destinations = new Map([...exclusions.destinations, ...dueRows.map(toHostEntry)])
      leftOutRows = { hasReachedLimit: dueRows.length >= maxRows, kinds, destinations, hosts }
      nextRows = [...nextRows, ...dueRows]
      startNext(now)
    },
    async startOtherMessages(now) {
      for (const { id, destination } of await listDueDestinationTests(ctx.db)) {
        startMessage(`test ${id}`, destination, () => sendTest(ctx, id, destination))
      }
      const kinds = listStoppedKinds(now)
      for (const destination of await listNotices(ctx.db, now)) {
        if (kinds.includes(destination.kind) || limiter.countFree() <= 0) continue
        if (findHold(destination, null, now) !== null || !isNoticeDue(noticeRetries, destination, now)) continue
        startMessage(`notice ${destination.id}`, destination, (...sendArguments) =>
          sendNotice(...sendArguments, noticeRetries),
        )
      }
      for (const destination of await listProbesDue(ctx.db, now, kinds)) {
        if (limiter.countFree() > 0) startMessage(destination.id, destination, probe)
      }
    },
    async ended() {
      while (runningSends.size > 0) await Promise.all(runningSends)
    },
  }
}
