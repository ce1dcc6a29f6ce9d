import type { Alert } from '@tocsin/protocol'
import type { Context } from '../../context.ts'
import type { IssuedDelivery } from '../../issued-deliveries.ts'
import { streamDeliverySeconds } from '../../metrics.ts'
import { createOutageLog } from '../../outage-log.ts'
import type { Scheduler } from '../../scheduler.ts'
import { traceNow, traceStep } from '../../tracing.ts'
import { createDeliveryFrame, createProofFrame, type Frame } from './frame.ts'
import { type AnchorMark, listAnchorMarks, type NewestRows, newestRows } from './store.ts'

/** Functions that read deliveries. They are parameters so that tests can replace them. */
export interface DeliveryLoader {
  /** Returns the deliveries after `afterSeq`, ordered by seq. */
  loadDeliveries(ctx: Context, afterSeq: number, limit: number): Promise<IssuedDelivery[]>
  /** Returns the last seq, or 0 before the first delivery. */
  findLastDeliverySeq(ctx: Context): Promise<number>
  /** Returns the highest log index of all deliveries, or null before the first delivery. */
  findHighestDeliveredIndex(ctx: Context): Promise<number | null>
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
 * Number of alerts of one anchor above which no further pages of proofs are passed on, the newest
 * ones first. Clients that read slowly would otherwise exceed their limit of unsent bytes.
 */
const MAX_UPDATES = 400
/** Number of newest log entries that are searched for these alerts. Most may be drafts. */
const MAX_SEARCHED_ENTRIES = 20 * PAGE
/** Number of deliveries that are read to leave out alerts that were not sent yet. */
const MAX_UNSENT = 400
/** Number of newest anchors kept in memory to detect how far back a reorganisation reaches. */
const MAX_ANCHOR_MARKS = 32
/** Time without a heartbeat after which the reader reads without being notified. */
const FALLBACK_POLL_MS = 2_000
/**
 * Short, because the next attempt after an outage of the database gets a new connection and usually
 * succeeds.
 */
const RETRY_MS = 250

interface Position {
  /** The newest delivery that was passed on, or that existed at the start. 0 before the first. */
  seq: number
  /** Identifies the content of that delivery. Null before the first. */
  deliveryKey: string | null
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
 * longer exist, and new deliveries reuse their `seq`. The reader checks for lost deliveries at each
 * poll: a failover breaks the connection for notifications, and the reconnect causes a poll. If
 * deliveries were lost, the reader continues from the newest delivery that exists.
 * @param fanOut `isAnnounced` is false if rights may have ended unnoticed, so that the rights of
 *   every socket must be read again first
 * @param recordRead called when everything has been read: after a round, or when a heartbeat shows
 *   nothing new
 * @param onLostDeliveries called when deliveries that were passed on do not exist any more
 */
export function createReader(
  ctx: Context,
  loader: DeliveryLoader,
  fanOut: (frames: Frame[], isAnnounced: boolean) => void,
  scheduler: Scheduler,
  recordRead: () => void,
  onLostDeliveries: () => void,
): DeliveryReader {
  let position: Position | null = null
  let highestPassedIndex: number | null = null
  let runningRead: Promise<void> | null = null
  let isReadDue = false
  /** Highest `seq` that was announced. */
  let announcedSeq = 0
  /** True if the next round also sends deliveries that were not announced. */
  let isPollDue = false
  let hasHeartbeat = false
  /** True if anchors may have been added since the last round. */
  let mayHaveNewAnchors = true
  let isClosed = false
  /** Abandons the current round. */
  let round = new AbortController()
  let stopRetry = () => {}
  let resolveReady = () => {}
  const ready = new Promise<void>((resolve) => {
    resolveReady = resolve
  })

  /**
   * Waits for a step of the current round. Throws if the round is abandoned, so that its remaining
   * steps do not run beside the next round.
   */
  const inRound = <T>(step: Promise<T>): Promise<T> => {
    const { signal } = round
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      step.then(resolve, reject)
    })
  }

  /** Identifies the content of a delivery. Returns null if it does not exist. */
  const findDeliveryKey = async (seq: number): Promise<string | null> => {
    const [foundDelivery] = seq > 0 ? await inRound(loader.loadDeliveries(ctx, seq - 1, 1)) : []
    return foundDelivery?.seq === seq ? createDeliveryKey(foundDelivery) : null
  }
  const findPosition = async (): Promise<Position> => {
    const marks = await inRound(listAnchorMarks(ctx.db, MAX_ANCHOR_MARKS))
    // The newest delivery may repeat an old alert, so the highest index is read separately. It is
    // read before `seq`, so that it is not the index of a later delivery: a client could resume
    // after that delivery without having received it.
    highestPassedIndex = await inRound(loader.findHighestDeliveredIndex(ctx))
    const seq = await inRound(loader.findLastDeliverySeq(ctx))
    return { seq, deliveryKey: await findDeliveryKey(seq), marks }
  }
  /** Returns the position from which to continue if deliveries were lost, otherwise `at`. */
  const skipLostDeliveries = async (at: Position): Promise<Position> => {
    if ((await findDeliveryKey(at.seq)) === at.deliveryKey) return at
    ctx.issued.clear()
    announcedSeq = 0
    const newPosition = await findPosition()
    onLostDeliveries()
    return newPosition
  }
  const passOnDeliveries = (at: Position, dueDeliveries: readonly IssuedDelivery[], isAnnounced: boolean) => {
    if (dueDeliveries.length > 0) {
      ctx.failpoint('fan-out: before')
      const startMs = traceNow()
      fanOut(dueDeliveries.map(createDeliveryFrame), isAnnounced)
      for (const { alert } of dueDeliveries) traceStep(alert.id, 'write to sockets', { startMs })
      ctx.failpoint('fan-out: after')
    }
    const writtenAtMs = ctx.clock.now().getTime()
    for (const delivered of dueDeliveries) {
      streamDeliverySeconds.observe(Math.max(0, writtenAtMs - delivered.at.getTime()) / 1_000)
      at.seq = delivered.seq
      at.deliveryKey = createDeliveryKey(delivered)
      highestPassedIndex = Math.max(highestPassedIndex ?? 0, delivered.logIndex)
    }
  }
  /**
   * Passes on, without a query, the deliveries that this instance has committed and was notified
   * of.
   */
  const passOnIssued = (at: Position) => {
    while (announcedSeq > at.seq) {
      const dueDeliveries = ctx.issued.drainAfter(at.seq, announcedSeq)
      if (!dueDeliveries) return
      passOnDeliveries(at, dueDeliveries, true)
    }
  }
  const readDeliveries = async (at: Position, isPoll: boolean) => {
    const committing = isPoll ? null : ctx.issued.waitForCommits()
    if (committing) await inRound(committing)
    passOnIssued(at)
    if (!isPoll && announcedSeq <= at.seq) return
    for (;;) {
      const page = await inRound(loader.loadDeliveries(ctx, at.seq, PAGE))
      const dueDeliveries = isPoll ? page : page.filter(({ seq }) => seq <= announcedSeq)
      passOnDeliveries(
        at,
        dueDeliveries,
        dueDeliveries.every(({ seq }) => seq <= announcedSeq),
      )
      if (dueDeliveries.length < PAGE || isClosed) return
    }
  }
  const readProofs = async (at: Position) => {
    const marks = await inRound(listAnchorMarks(ctx.db, MAX_ANCHOR_MARKS))
    const size = marks[0]?.size ?? 0
    const firstIndex = Math.max(findUnchangedSize(at.marks, marks) ?? 0, size - MAX_SEARCHED_ENTRIES)
    let updateCount = 0
    for (let until = size; until > firstIndex && updateCount < MAX_UPDATES && !isClosed; until -= PAGE) {
      // The proofs of many entries take many pages. New alerts do not wait for them.
      await readDeliveries(at, false)
      recordRead()
      const alerts = await inRound(loader.loadAlertsAnchoredBetween(ctx, Math.max(firstIndex, until - PAGE), until))
      if (alerts.length === 0) continue
      // Leave out alerts that were not sent yet: they are read later, together with their proofs.
      const unsentIndexes = new Set(
        (await inRound(loader.loadDeliveries(ctx, at.seq, MAX_UNSENT))).map(({ alert }) => alert.logIndex),
      )
      // Discard the cached copies of these alerts, which do not contain the inclusion proof.
      if (unsentIndexes.size > 0) ctx.issued.clear()
      const frames = alerts.filter(({ logIndex }) => !unsentIndexes.has(logIndex)).map(createProofFrame)
      if (frames.length > 0) fanOut(frames, true)
      updateCount += frames.length
    }
    at.marks = marks
  }
  const outages = createOutageLog({
    begins: 'deliveries cannot be read, trying again',
    ends: 'deliveries can be read again',
  })
  const read = async () => {
    round = new AbortController()
    try {
      while (isReadDue && !isClosed) {
        isReadDue = false
        const isPoll = isPollDue
        isPollDue = false
        if (position && isPoll) position = await skipLostDeliveries(position)
        position ??= await findPosition()
        resolveReady()
        const isAnchored = mayHaveNewAnchors
        mayHaveNewAnchors = false
        await readDeliveries(position, isPoll)
        if (isAnchored) await readProofs(position)
        outages.recordSuccess(ctx)
        recordRead()
      }
    } catch (error) {
      outages.recordFailure(ctx, error)
      mayHaveNewAnchors = true
      stopRetry = scheduler.after(round.signal.aborted ? 0 : RETRY_MS, poll)
    } finally {
      runningRead = null
    }
  }
  const requestRead = () => {
    isReadDue = true
    if (!isClosed) runningRead ??= read()
  }
  const poll = () => {
    isPollDue = true
    requestRead()
  }
  const onAnchors = () => {
    mayHaveNewAnchors = true
    requestRead()
  }
  const onDeliveries = (key: string) => {
    // The key is empty after a reconnect, and for outcomes from instances of earlier releases. A
    // round that began before a reconnect can wait for a dead connection, which is noticed only
    // after seconds.
    if (key === '') {
      round.abort(new Error('The connection to the database was replaced'))
      return poll()
    }
    announcedSeq = Math.max(announcedSeq, Number(key))
    requestRead()
  }

  const onHeartbeat = ({ seq, anchor }: NewestRows) => {
    hasHeartbeat = true
    const mark = position?.marks[0]
    if (anchor?.size !== mark?.size || anchor?.blockHash !== mark?.blockHash) mayHaveNewAnchors = true
    // A lower `seq` means that deliveries were lost, or that the heartbeat was sent before the
    // newest delivery. The poll finds out which.
    if (!position || seq !== position.seq) poll()
    else if (mayHaveNewAnchors) requestRead()
    else if (!runningRead) recordRead()
  }
  const pollWithoutHeartbeat = () => {
    if (!hasHeartbeat) {
      mayHaveNewAnchors = true
      poll()
    }
    hasHeartbeat = false
  }

  const stops = [
    ctx.notifications.on('deliveries', onDeliveries),
    ctx.notifications.on('anchors', onAnchors),
    ctx.notifications.watch(() => newestRows, onHeartbeat),
    scheduler.every(FALLBACK_POLL_MS, pollWithoutHeartbeat),
  ]
  requestRead()
  return {
    ready,
    highestIndex: () => highestPassedIndex,
    poll,
    async close() {
      isClosed = true
      for (const stop of stops) stop()
      stopRetry()
      await runningRead
    },
  }
}

function createDeliveryKey({ logIndex, alert }: IssuedDelivery): string {
  return `${logIndex} ${alert.id}`
}

/**
 * Returns the size up to which the anchors are unchanged. Later entries were anchored since then,
 * or anchored again after a reorganisation. Returns null if no current anchor was known before.
 */
function findUnchangedSize(previousMarks: readonly AnchorMark[], currentMarks: readonly AnchorMark[]): number | null {
  const wasKnown = (mark: AnchorMark) =>
    previousMarks.some(({ size, blockHash }) => size === mark.size && blockHash === mark.blockHash)
  return currentMarks.find(wasKnown)?.size ?? null
}
