import { clockDifferenceMs } from '@tocsin/proof'
import { BaseError, InsufficientFundsError } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { createAnchorSender, readChainTime, readLatestAnchor } from './anchor-contract.ts'
import { beatWhenQuiet } from './heartbeat.ts'
import { LogFault } from './log.ts'
import { mirrorAnchors } from './mirror-anchors.ts'
import { stopLog } from './stop-log.ts'
import { findHead, findNewestAnchor, findStop, findTail, saveTrouble } from './store.ts'
import { findNewestTime } from './tail.ts'

/** The first look at a mined anchor; each later one waits twice as long, up to what a block takes. */
const FIRST_LOOK_MS = 250
const LONGEST_LOOK_MS = 2_000
const QUIET_CHECK_MS = 60_000
const LONGEST_RETRY_MS = 30_000
const STUCK_AFTER_MS = 45_000
const STOPPED = 'the log is stopped'

/**
 * Anchors the log's newest root whenever the log has grown, at most once an interval; one anchor covers all entries since
 * the last. A log that has been quiet for long gets a heartbeat. Run it on one instance at a time. Every round starts from what chain and tables say, so it may be killed at
 * any point. While the chain is away, entries wait.
 */
export async function anchorLog(ctx: Context, signal: AbortSignal, stuckAfterMs = STUCK_AFTER_MS): Promise<void> {
  const intervalMs = ctx.config.anchor.intervalSeconds * 1000
  const worker = createWorker(ctx, signal, stuckAfterMs)
  let nap = new AbortController()
  const rise = () => nap.abort()
  const forgetWake = ctx.wake.on('deliveries', rise)
  signal.addEventListener('abort', rise)
  try {
    while (!signal.aborted) {
      nap = new AbortController()
      const outcome = await worker.round()
      if (outcome === 'failed') await pause(Math.min(intervalMs, LONGEST_RETRY_MS), signal)
      else await pause(intervalMs, outcome === 'anchored' ? signal : nap.signal)
    }
  } finally {
    forgetWake()
    signal.removeEventListener('abort', rise)
  }
}

type Outcome = 'anchored' | 'nothing new' | 'failed'

function createWorker(ctx: Context, signal: AbortSignal, stuckAfterMs: number) {
  const send = createAnchorSender(ctx)
  let feeRaises = 0
  let mirroredAt = Number.NEGATIVE_INFINITY
  let trouble: string | null = null
  /** What the tables say. Unknown at first: another instance may have left word of its own trouble. */
  let told: string | null | undefined

  async function anchorWhatIsNew(): Promise<Outcome> {
    const [head, newest] = await Promise.all([findHead(ctx.db), findNewestAnchor(ctx.db)])
    const isAnchored = head.size === (newest?.size ?? 0)
    const hasBeaten = isAnchored && (await beatWhenQuiet(ctx, head))
    // An idle log asks the chain only now and then whether it still has our anchors.
    if (isAnchored && !hasBeaten && performance.now() - mirroredAt < QUIET_CHECK_MS) return 'nothing new'
    const anchoredSize = await mirrorAnchors(ctx)
    mirroredAt = performance.now()
    const { size, root } = hasBeaten ? await findHead(ctx.db) : head
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
      // An earlier transaction of ours may have got into a block just now.
      if ((await readLatestAnchor(ctx)).size < size) throw error
    }
    if (await awaitAnchor(ctx, size, signal, stuckAfterMs)) {
      feeRaises = 0
      ctx.failpoint('anchor: after mined')
      await mirrorAnchors(ctx)
    } else if (!signal.aborted) {
      feeRaises += 1
      throw new Error('The anchoring transaction is in no block yet; it will be replaced with a higher fee')
    }
  }

  async function tell(reason: string | null): Promise<void> {
    if (reason === told) return
    try {
      // In a transaction, so that the trouble of an instance that no longer leads stays out of the tables.
      await ctx.db.transaction((tx) => saveTrouble(tx, reason, ctx.clock.now()))
      told = reason
    } catch (error) {
      ctx.logger.warn({ err: error }, 'the state of anchoring could not be saved')
    }
  }

  return {
    async round(): Promise<Outcome> {
      try {
        const stop = await findStop(ctx.db)
        if (stop) {
          trouble = STOPPED
          return 'failed'
        }
        const outcome = await anchorWhatIsNew()
        if (trouble) ctx.logger.info('anchoring works again')
        trouble = null
        return outcome
      } catch (error) {
        if (error instanceof LogFault) await stopLog(ctx, error.message)
        const reason = describeTrouble(ctx, error)
        if (reason !== trouble) logTrouble(ctx, error)
        trouble = reason
        return 'failed'
      } finally {
        await tell(trouble)
      }
    },
  }
}

/** Verifiers reject an anchor whose block is older than its entries, for ever: the chain's time has to pass first. */
class AnchorTooEarly extends Error {}

/** @throws AnchorTooEarly while a block made now could be older than the newest entry */
async function assertNotBeforeEntries(ctx: Context): Promise<void> {
  const newest = findNewestTime(await findTail(ctx.db))
  const chainTime = await readChainTime(ctx)
  if (newest === null || Date.parse(newest.createdAt) <= chainTime.getTime() + clockDifferenceMs) return
  throw new AnchorTooEarly(
    `entry ${newest.index} is of ${newest.createdAt}, which the anchor chain has not reached: the clocks were ahead when it ` +
      'was issued, or the node lags behind. Anchoring goes on by itself when the chain is there',
  )
}

/** Asks the contract and not for a receipt: whichever transaction of ours got in, the original or its replacement. */
async function awaitAnchor(ctx: Context, size: number, signal: AbortSignal, patienceMs: number): Promise<boolean> {
  const startedAt = performance.now()
  let waitMs = FIRST_LOOK_MS
  while (!signal.aborted && performance.now() - startedAt < patienceMs) {
    if ((await readLatestAnchor(ctx)).size >= size) return true
    await pause(Math.min(waitMs, patienceMs), signal)
    waitMs = Math.min(2 * waitMs, LONGEST_LOOK_MS)
  }
  return false
}

/** Chain errors are logged by their sentence: in full they carry the whole ABI. */
function logTrouble(ctx: Context, error: unknown): void {
  // Said where the log was stopped.
  if (error instanceof LogFault) return
  if (error instanceof BaseError) ctx.logger.error({ reason: error.shortMessage }, 'anchoring is delayed')
  else ctx.logger.error({ err: error }, 'anchoring is delayed')
}

/** For operators, and the same while its cause is. Only sentences that anybody may read: no URL, no key. */
function describeTrouble(ctx: Context, error: unknown): string {
  if (error instanceof LogFault) return STOPPED
  if (error instanceof AnchorTooEarly) return error.message
  if (!(error instanceof BaseError))
    return `anchoring failed (${error instanceof Error ? error.name : 'unknown'}), see the logs`
  if (error.walk((cause) => cause instanceof InsufficientFundsError)) {
    return `the wallet ${privateKeyToAddress(ctx.config.anchor.key)} has too little to pay for an anchor`
  }
  return `the anchor chain: ${error.shortMessage.split('\n')[0]}`
}
