import type { Alert } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { Delivered } from '../../issued-deliveries.ts'
import { streamDeliverySeconds } from '../../metrics.ts'
import type { Scheduler } from '../../scheduler.ts'
import { traceNow, traceStep } from '../../tracing.ts'
import { deliveryFrame, type Frame, proofFrame } from './frame.ts'
import { type AnchorMark, listAnchorMarks, type NewestRows, newestRows } from './store.ts'

/** Functions that read deliveries. They are parameters so that tests can replace them. */
export interface DeliveryLoader {
  /** Returns the deliveries after `afterSeq`, ordered by seq. */
  loadDeliveries(ctx: Context, afterSeq: number, limit: number): Promise<Delivered[]>
  /** Returns the last seq, or 0 before the first delivery. */
  lastDeliverySeq(ctx: Context): Promise<number>
  /** Returns the highest log index of all deliveries, or null before the first delivery. */
  highestDeliveredIndex(ctx: Context): Promise<number | null>
  /**
   * Returns broadcast alerts with a log index from `fromSize` up to, not including, `toSize`, with
   * their proofs.
   */
  loadAlertsAnchoredBetween(ctx: Context, fromSize: number, toSize: number): Promise<Alert[]>
}

export interface DeliveryReader {
  /** Resolves when the newest delivery is known. Later deliveries are passed on. */
  ready: Promise<void>
  /**
   * Highest log index of the alerts and outcomes that were passed on or delivered before the start.
   * Null before the first one.
   */
  highestIndex(): number | null
  poll(): void
  close(): Promise<void>
}

const PAGE = 200
/**
 * Maximum number of updates that are passed on together. More occur only after a long outage of
 * anchoring, and pages then reload their list anyway.
 */
const MAX_UPDATES = 400
/** Number of newest anchors kept in memory to detect how far back a reorganisation reaches. */
const KEPT_MARKS = 32
/** Time without a heartbeat after which the reader reads without being notified. */
const SAFETY_NET_MS = 2_000
const RETRY_MS = 1_000

interface Position {
  /** The newest delivery that was passed on, or that existed at the start. 0 before the first. */
  seq: number
  /** Identifies the content of that delivery. Null before the first. */
  newest: string | null
  marks: AnchorMark[]
}

/**
 * Reads each delivery and each anchored alert once per instance, encodes it and passes it on.
 * Rounds of reading never overlap and read deliveries before proofs, so an older version of an
 * alert never follows a newer one.
 *
 * PostgreSQL delivers notifications in commit order. A delivery counts as announced once its own
 * notification has arrived. By then, the notifications of all rights that ended before the delivery
 * was committed have arrived too. Deliveries that are not announced yet wait for their
 * notification, and at most for the next heartbeat, because notifications can be lost.
 *
 * After a failover to a replica that lacks the newest commits, deliveries that were passed on no
 * longer exist, and new deliveries get their numbers. The reader checks for this at each poll: a
 * failover breaks the connection for notifications, and the reconnect causes a poll. The reader
 * then begins again at the newest delivery that exists.
 * @param fanOut `isAnnounced` is false if rights may have ended unnoticed, so that the rights of
 *   every socket must be read again first
 * @param recordRead called when everything has been read: after a round, or when a heartbeat shows
 *   nothing new
 * @param onLost called when deliveries that were passed on do not exist any more
 */
export function createReader(
  ctx: Context,
  loader: DeliveryLoader,
  fanOut: (frames: Frame[], isAnnounced: boolean) => void,
  scheduler: Scheduler,
  recordRead: () => void,
  onLost: () => void,
): DeliveryReader {
  let position: Position | null = null
  let highest: number | null = null
  let pass: Promise<void> | null = null
  let again = false
  /** Highest `seq` that was announced. */
  let announced = 0
  /** True if the next round also sends deliveries that were not announced. */
  let isPolling = false
  let hasHeartbeat = false
  /** True if anchors may have been added since the last round. */
  let mayBeAnchored = true
  let isClosed = false
  let stopRetry = () => {}
  let isReady = () => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })

  /** Identifies the content of a delivery. Returns null if it does not exist. */
  const findContent = async (seq: number): Promise<string | null> => {
    const [found] = seq > 0 ? await loader.loadDeliveries(ctx, seq - 1, 1) : []
    return found?.seq === seq ? createDeliveryKey(found) : null
  }
  const findPosition = async (): Promise<Position> => {
    const marks = await listAnchorMarks(ctx.db, KEPT_MARKS)
    // The newest delivery may repeat an old alert, so the highest index is read separately. It is
    // read before `seq`, so that it is not the index of a later delivery: a client could resume
    // after that delivery without having received it.
    highest = await loader.highestDeliveredIndex(ctx)
    const seq = await loader.lastDeliverySeq(ctx)
    return { seq, newest: await findContent(seq), marks }
  }
  /** Returns the position from which to continue if deliveries were lost, otherwise `at`. */
  const skipLost = async (at: Position): Promise<Position> => {
    if ((await findContent(at.seq)) === at.newest) return at
    ctx.issued.clear()
    announced = 0
    const found = await findPosition()
    onLost()
    return found
  }
  const passOn = (at: Position, dueDeliveries: readonly Delivered[], isAnnounced: boolean) => {
    if (dueDeliveries.length > 0) {
      ctx.failpoint('fan-out: before')
      const startMs = traceNow()
      fanOut(dueDeliveries.map(deliveryFrame), isAnnounced)
      for (const { alert } of dueDeliveries) traceStep(alert.id, 'write to sockets', { startMs })
      ctx.failpoint('fan-out: after')
    }
    const writtenAtMs = ctx.clock.now().getTime()
    for (const delivered of dueDeliveries) {
      streamDeliverySeconds.observe(Math.max(0, writtenAtMs - delivered.at.getTime()) / 1_000)
      at.seq = delivered.seq
      at.newest = createDeliveryKey(delivered)
      highest = Math.max(highest ?? 0, delivered.logIndex)
    }
  }
  /**
   * Passes on, without a query, the deliveries that this instance has committed and was notified
   * of.
   */
  const passOnIssued = (at: Position) => {
    while (announced > at.seq) {
      const due = ctx.issued.drainAfter(at.seq, announced)
      if (!due) return
      passOn(at, due, true)
    }
  }
  const readDeliveries = async (at: Position, isPoll: boolean) => {
    const committing = isPoll ? null : ctx.issued.settled()
    if (committing) await committing
    passOnIssued(at)
    if (!isPoll && announced <= at.seq) return
    for (;;) {
      const page = await loader.loadDeliveries(ctx, at.seq, PAGE)
      const due = isPoll ? page : page.filter(({ seq }) => seq <= announced)
      passOn(
        at,
        due,
        due.every(({ seq }) => seq <= announced),
      )
      if (due.length < PAGE || isClosed) return
    }
  }
  const readProofs = async (at: Position) => {
    const marks = await listAnchorMarks(ctx.db, KEPT_MARKS)
    const size = marks[0]?.size ?? 0
    for (let from = Math.max(unchangedSize(at.marks, marks), size - MAX_UPDATES); from < size; from += PAGE) {
      const alerts = await loader.loadAlertsAnchoredBetween(ctx, from, Math.min(size, from + PAGE))
      if (alerts.length === 0) continue
      // Leave out alerts that were not sent yet: they are read later, together with their proofs.
      const ahead = new Set((await loader.loadDeliveries(ctx, at.seq, MAX_UPDATES)).map(({ alert }) => alert.logIndex))
      // Discard the cached copies of these alerts, which do not contain the inclusion proof.
      if (ahead.size > 0) ctx.issued.clear()
      const frames = alerts.filter(({ logIndex }) => !ahead.has(logIndex)).map(proofFrame)
      if (frames.length > 0) fanOut(frames, true)
    }
    at.marks = marks
  }
  const read = async () => {
    try {
      while (again && !isClosed) {
        again = false
        const isPoll = isPolling
        isPolling = false
        if (position && isPoll) position = await skipLost(position)
        position ??= await findPosition()
        isReady()
        const isAnchored = mayBeAnchored
        mayBeAnchored = false
        await readDeliveries(position, isPoll)
        if (isAnchored) await readProofs(position)
        recordRead()
      }
    } catch (error) {
      ctx.logger.error({ err: error }, 'reading deliveries failed, trying again')
      mayBeAnchored = true
      stopRetry = scheduler.after(RETRY_MS, poll)
    } finally {
      pass = null
    }
  }
  const readAgain = () => {
    again = true
    if (!isClosed) pass ??= read()
  }
  const poll = () => {
    isPolling = true
    readAgain()
  }
  const onAnchors = () => {
    mayBeAnchored = true
    readAgain()
  }
  const onDeliveries = (key: string) => {
    // The key is empty after a reconnect, and for outcomes from instances of earlier releases.
    if (key === '') return poll()
    announced = Math.max(announced, Number(key))
    readAgain()
  }

  const onHeartbeat = ({ seq, anchor }: NewestRows) => {
    hasHeartbeat = true
    const mark = position?.marks[0]
    if (anchor?.size !== mark?.size || anchor?.blockHash !== mark?.blockHash) mayBeAnchored = true
    // A lower number means that deliveries were lost, or that the heartbeat was sent before the
    // newest delivery. The poll finds out which.
    if (!position || seq !== position.seq) poll()
    else if (mayBeAnchored) readAgain()
    else if (!pass) recordRead()
  }
  const pollWithoutHeartbeat = () => {
    if (!hasHeartbeat) {
      mayBeAnchored = true
      poll()
    }
    hasHeartbeat = false
  }

  const stops = [
    ctx.notifications.on('deliveries', onDeliveries),
    ctx.notifications.on('anchors', onAnchors),
    ctx.notifications.watch(() => newestRows, onHeartbeat),
    scheduler.every(SAFETY_NET_MS, pollWithoutHeartbeat),
  ]
  readAgain()
  return {
    ready,
    highestIndex: () => highest,
    poll,
    async close() {
      isClosed = true
      for (const stop of stops) stop()
      stopRetry()
      await pass
    },
  }
}

function createDeliveryKey({ logIndex, alert }: Delivered): string {
  return `${logIndex} ${alert.id}`
}

/**
 * Returns the size up to which the anchors are unchanged. Later entries were anchored since then,
 * or anchored again after a reorganisation.
 */
function unchangedSize(before: readonly AnchorMark[], now: readonly AnchorMark[]): number {
  const isKnown = (mark: AnchorMark) =>
    before.some(({ size, blockHash }) => size === mark.size && blockHash === mark.blockHash)
  return now.find(isKnown)?.size ?? 0
}
