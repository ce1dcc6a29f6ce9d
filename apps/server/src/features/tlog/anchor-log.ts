import { maxClockDifferenceMs } from '@tocsin/proof'
import { BaseError, InsufficientFundsError } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { Context } from '../../context.ts'
import { withDeadline } from '../../db/health.ts'
import { pauseUntilDue, selectDueIf } from '../../db/leader.ts'
import { pause } from '../../pause.ts'
import { Refusal } from '../../refusal.ts'
import { createAnchorSender, isUnderpriced, readChainTime, readLatestAnchor } from './anchor-contract.ts'
import { appendHeartbeatWhenQuiet } from './heartbeat.ts'
import { LogFault } from './log.ts'
import { mirrorAnchors } from './mirror-anchors.ts'
import { stopLog } from './stop-log.ts'
import { findHead, findNewestAnchor, findStop, findTail, saveAnchoringProblem, selectUnanchored } from './store.ts'
import { findNewestTime } from './tail.ts'

/**
 * Delay after the first check for a mined anchor. It doubles after each check, up to MAX_POLL_MS.
 */
const MIN_POLL_MS = 250
const MAX_POLL_MS = 2_000
/** Interval at which an idle log is compared with the anchors on the chain. */
const IDLE_CHECK_MS = 60_000
const MAX_RETRY_MS = 30_000
const STUCK_AFTER_MS = 45_000
const STOPPED_PROBLEM = 'the log is stopped'
/** Interval of the checks whether the chain's node still responds while the log is anchored. */
const PROBE_MS = 2_000
/** Deadline of such a check, the same as that of /readyz. */
const PROBE_DEADLINE_MS = 2_000
const TIMEOUT_PROBLEM = `the anchor chain does not respond within ${PROBE_DEADLINE_MS / 1_000} s`

/**
 * Anchors the log's newest root whenever the log has grown, at most once per interval. One anchor
 * covers all entries since the previous anchor. Appends a heartbeat if nothing was logged for a
 * long time. Run it on one instance at a time. Each round starts from the state of the chain and
 * the tables, so the process may be killed at any point. While the chain is unreachable, entries
 * wait.
 */
export async function anchorLog(ctx: Context, signal: AbortSignal, stuckAfterMs = STUCK_AFTER_MS): Promise<void> {
  const intervalMs = ctx.config.anchor.intervalSeconds * 1000
  const worker = createWorker(ctx, signal, stuckAfterMs)
  let waitController = new AbortController()
  const endWait = () => waitController.abort()
  const stopListening = ctx.notifications.on('deliveries', endWait)
  signal.addEventListener('abort', endWait)
  try {
    while (!signal.aborted) {
      waitController = new AbortController()
      const outcome = await worker.round()
      if (outcome === 'failed') await pause(Math.min(intervalMs, MAX_RETRY_MS), signal)
      else if (outcome === 'anchored') await pause(intervalMs, signal)
      // Broadcast alerts and their outcomes send a notification. `selectDueIf` finds other entries,
      // and entries whose notification is lost, at the next heartbeat of the notification bus.
      else await pauseUntilDue(ctx.notifications, () => selectDueIf(selectUnanchored), waitController.signal)
    }
  } finally {
    stopListening()
    signal.removeEventListener('abort', endWait)
  }
}

type Outcome = 'anchored' | 'nothing new' | 'failed'

function createWorker(ctx: Context, signal: AbortSignal, stuckAfterMs: number) {
  const send = createAnchorSender(ctx)
  let feeRaises = 0
  let mirroredMs = Number.NEGATIVE_INFINITY
  let isClockWrong = false
  let problem: string | null = null
  /** The reason stored in the tables. Undefined at first: another instance may have stored one. */
  let storedProblem: string | null | undefined

  async function anchorNewEntries(): Promise<Outcome> {
    const [head, newestAnchor] = await Promise.all([findHead(ctx.db), findNewestAnchor(ctx.db)])
    const isAnchored = head.size === (newestAnchor?.size ?? 0)
    const hasHeartbeat = isAnchored && (await appendHeartbeat(head))
    // If the log is idle, compare the stored anchors with the chain only once per `IDLE_CHECK_MS`.
    if (isAnchored && !hasHeartbeat && performance.now() - mirroredMs < IDLE_CHECK_MS) return 'nothing new'
    const stopProbes = probeNode()
    try {
      return await anchorHead(head, hasHeartbeat)
    } finally {
      await stopProbes()
    }
  }

  /**
   * Returns true if a heartbeat was appended. A wrong clock stops only heartbeats. Entries that are
   * already logged are still anchored, because anchoring uses the time of the chain.
   */
  async function appendHeartbeat(head: Awaited<ReturnType<typeof findHead>>): Promise<boolean> {
    try {
      const isAppended = await appendHeartbeatWhenQuiet(ctx, head)
      isClockWrong = false
      return isAppended
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'clock_wrong')) throw error
      if (!isClockWrong) ctx.logger.error({ reason: error.message }, 'the log gets no heartbeats')
      isClockWrong = true
      return false
    }
  }

  async function anchorHead(head: Awaited<ReturnType<typeof findHead>>, hasHeartbeat: boolean): Promise<Outcome> {
    const anchoredSize = await mirrorAnchors(ctx)
    mirroredMs = performance.now()
    const { size, root } = hasHeartbeat ? await findHead(ctx.db) : head
    if (size <= anchoredSize) return 'nothing new'
    await assertNotBeforeEntries(ctx)
    await sendAndAwait(size, root)
    const anchor = await findNewestAnchor(ctx.db)
    ctx.logger.info({ size: anchor?.size, transaction: anchor?.txHash }, 'anchored the log')
    ctx.failpoint('anchor: after save')
    return 'anchored'
  }

  async function sendAndAwait(size: number, root: Uint8Array): Promise<void> {
    ctx.failpoint('anchor: before send')
    try {
      await send(size, root, feeRaises)
      ctx.failpoint('anchor: after send')
    } catch (error) {
      // Wait for the anchor if an earlier transaction was mined in the meantime, or if the node
      // already has one with the maximum fee.
      if (!isUnderpriced(error) && (await readLatestAnchor(ctx)).size < size) throw error
    }
    if (await awaitAnchor(ctx, size, signal, stuckAfterMs)) {
      feeRaises = 0
      ctx.failpoint('anchor: after mined')
      await mirrorAnchors(ctx)
    } else if (!signal.aborted) {
      feeRaises += 1
      throw new Error(
        'The anchoring transaction is not in a block yet; it will be sent again, with a higher fee up to a limit',
      )
    }
  }

  async function storeProblem(reason: string | null): Promise<void> {
    if (reason === storedProblem) return
    try {
      // The transaction fails on an instance that is no longer the leader. Such an instance must
      // not store its reason.
      await ctx.db.transaction((tx) => saveAnchoringProblem(tx, reason, ctx.clock.now()))
      storedProblem = reason
    } catch (error) {
      ctx.logger.warn({ err: error }, 'the state of anchoring could not be saved')
    }
  }

  /**
   * Probes the node during a round, and stores a problem as soon as the node does not answer.
   * Without the probes, the problem would be stored only when the round fails, after several
   * request timeouts of 5 s. The result of the round replaces the stored problem.
   * @returns a function that stops the probes
   */
  function probeNode(): () => Promise<void> {
    let hasRoundEnded = false
    let pendingWrites = Promise.resolve()
    const probeOnce = async () => {
      // An error also shows that the node answers. The round itself then fails with that error.
      const response = ctx.anchorChain.getChainId().then(
        () => true,
        () => true,
      )
      const isAnswering = await withDeadline(response, PROBE_DEADLINE_MS, false)
      if (!isAnswering && !hasRoundEnded) pendingWrites = pendingWrites.then(() => storeProblem(TIMEOUT_PROBLEM))
    }
    void probeOnce()
    const timer = setInterval(() => void probeOnce(), PROBE_MS)
    return () => {
      hasRoundEnded = true
      clearInterval(timer)
      return pendingWrites
    }
  }

  return {
    async round(): Promise<Outcome> {
      try {
        const logStop = await findStop(ctx.db)
        if (logStop) {
          problem = STOPPED_PROBLEM
          return 'failed'
        }
        const outcome = await anchorNewEntries()
        if (problem) ctx.logger.info('anchoring works again')
        problem = null
        return outcome
      } catch (error) {
        if (error instanceof LogFault) await stopLog(ctx, error.message)
        const reason = describeProblem(ctx, error)
        if (reason !== problem) logProblem(ctx, error)
        problem = reason
        return 'failed'
      } finally {
        await storeProblem(problem)
      }
    },
  }
}

/**
 * Thrown if the chain's clock is behind the newest entry. Verifiers permanently reject an anchor
 * whose block is older than its entries, so anchoring waits.
 */
class AnchorTooEarly extends Error {}

/** @throws AnchorTooEarly while a block mined now could be older than the newest entry */
async function assertNotBeforeEntries(ctx: Context): Promise<void> {
  const newestTime = findNewestTime(await findTail(ctx.db))
  const chainTime = await readChainTime(ctx)
  if (newestTime === null || Date.parse(newestTime.createdAt) <= chainTime.getTime() + maxClockDifferenceMs) return
  const { index, createdAt } = newestTime
  throw new AnchorTooEarly(
    `entry ${index} has the time ${createdAt}, which is later than the current time of the anchor chain: the clocks were ahead ` +
      'when it was issued, or the node lags behind. Anchoring resumes automatically when the chain reaches this time',
  )
}

/**
 * Waits until the log is anchored up to the size. Polls the contract instead of a receipt, because
 * either the original transaction or a replacement may have been mined.
 */
async function awaitAnchor(ctx: Context, size: number, signal: AbortSignal, timeoutMs: number): Promise<boolean> {
  const startedMs = performance.now()
  let waitMs = MIN_POLL_MS
  while (!signal.aborted && performance.now() - startedMs < timeoutMs) {
    if ((await readLatestAnchor(ctx)).size >= size) return true
    await pause(Math.min(waitMs, timeoutMs), signal)
    waitMs = Math.min(2 * waitMs, MAX_POLL_MS)
  }
  return false
}

/** Logs only the short message of chain errors, because the full one contains the whole ABI. */
function logProblem(ctx: Context, error: unknown): void {
  // Already logged when the log was stopped.
  if (error instanceof LogFault) return
  if (error instanceof BaseError) ctx.logger.error({ reason: error.shortMessage }, 'anchoring is delayed')
  else ctx.logger.error({ err: error }, 'anchoring is delayed')
}

/**
 * Returns the reason shown to operators. It stays the same while the cause is the same, and
 * contains no URL or key, because the text is public.
 */
function describeProblem(ctx: Context, error: unknown): string {
  if (error instanceof LogFault) return STOPPED_PROBLEM
  if (error instanceof AnchorTooEarly) return error.message
  if (!(error instanceof BaseError))
    return `anchoring failed (${error instanceof Error ? error.name : 'unknown'}), see the logs`
  if (error.walk((cause) => cause instanceof InsufficientFundsError)) {
    return `the wallet ${privateKeyToAddress(ctx.config.anchor.key)} has too little to pay for an anchor`
  }
  return `the anchor chain: ${error.shortMessage.split('\n')[0]}`
}
