import { createHash } from 'node:crypto'
import {
  createEpisodeStartCheck,
  createRecordSummary,
  evaluateOutcome,
  getRecentStartMs,
  type Hex,
  type RecordAlert,
  type RecordAnchor,
  type RecordSummary,
  readSignal,
} from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { createControlRates, type MeasuredRate } from './control-rates.ts'
import { createPublicCounts, toPublicCounts } from './public-counts.ts'
import { getPrediction, initialResult, toRecordAlert } from './record-row.ts'
import * as rows from './record-store.ts'
import * as store from './store.ts'

/** Maximum number of alerts held in memory. */
const ALERTS_PER_PAGE = 1_000
/**
 * Maximum number of outcome messages held in memory. Each has a candle for every minute of its
 * horizon.
 */
const MESSAGES_PER_PAGE = 100

/**
 * Creates a function that computes the record of one origin as of an anchor. A call must not get an
 * earlier anchor than the call before. The alerts with a prediction are read page by page. Judged
 * outcomes and control rates are stored in the table `record_alerts`, because they take long to
 * compute. Alerts without a prediction are only counted, by the database. Calls must not overlap.
 * An aborted call ends after the query that is running.
 */
export function createRecordComputation(origin: 'feed' | 'demo', pageSize = ALERTS_PER_PAGE) {
  const counts = createPublicCounts()
  let lastAnchor: RecordAnchor | null = null

  return async (ctx: Context, asOf: RecordAnchor, signal?: AbortSignal): Promise<RecordSummary> => {
    const publicDelayMs = ctx.config.publicDelayHours * HOUR_MS
    // Count from zero if a reorg of the anchor chain has removed the last anchor.
    if (lastAnchor && !(await store.isAnchored(ctx.db, lastAnchor))) counts.reset()
    lastAnchor = asOf
    const blockAt = new Date(asOf.blockAt)
    const view = await rows.findView(ctx.db, { origin, size: asOf.size, blockAt }, publicDelayMs)
    const countedRecord = await counts.count(ctx.db, view)
    const { withoutMessage } = countedRecord
    const recent = await rows.findRecent(ctx.db, view, new Date(getRecentStartMs(asOf)))
    const controls = await createControlRates(ctx, asOf)
    const summary = createRecordSummary({ origin, asOf, publicDelayMs }, recent.fromIndex)
    const isFirstOfEpisode = createEpisodeStartCheck()
    const at = { blockMs: blockAt.getTime(), publicDelayMs }
    let namedCount = 0
    const read = (from: number) => {
      while ((withoutMessage[namedCount] ?? from) < from) namedCount += 1
      const nextWithoutMessage = withoutMessage.slice(namedCount, namedCount + pageSize)
      return rows.listCountedRows(ctx.db, view, { from, limit: pageSize, withoutMessage: nextWithoutMessage })
    }
    for (let page = await read(0); page.length > 0; page = await read((page.at(-1)?.index ?? 0) + 1)) {
      signal?.throwIfAborted()
      const storedResults = new Map(page.map(({ index, stored }) => [index, stored]))
      const evaluatedRows = await evaluate(ctx, page, origin, signal)
      const alerts = evaluatedRows.map((row) => {
        const alert = toRecordAlert(row, at)
        if (alert.forecast) alert.isFirstOfEpisode = isFirstOfEpisode(alert.forecast.prediction)
        return alert
      })
      const rates = await controls.find(alerts, storedResults)
      const changedAlerts = alerts.flatMap((alert, pageIndex) => {
        const { index, statement } = alert
        // `withoutMessage` can include pending alerts. `countPending` counts them instead.
        if (alert.status === 'pending') return []
        const rate = rates.get(index)
        summary.add(alert, rate && rate.minutes > 0 ? rate : undefined)
        // Nothing is stored about an alert whose content is not public.
        if (!statement) return []
        const storedResult = toStoredResult(alert, evaluatedRows[pageIndex]?.stored ?? initialResult, rate)
        return isSame(storedResult, storedResults.get(index) ?? null) ? [] : { logIndex: index, ...storedResult }
      })
      await rows.saveResults(ctx.db, changedAlerts)
    }
    signal?.throwIfAborted()
    const pendingCounts = await rows.countPending(ctx.db, view, recent.fromIndex)
    return summary.finish(toPublicCounts(countedRecord, recent.count), pendingCounts)
  }
}

function toStoredResult(
  { status, isFirstOfEpisode, outcome }: RecordAlert,
  evaluatedResult: rows.StoredResult,
  rate: MeasuredRate | undefined,
): rows.StoredResult {
  const isMeasured = rate !== undefined && rate.minutes > 0
  return {
    ...evaluatedResult,
    status,
    isFirstOfEpisode,
    isTimeProven: outcome?.isTimeProven ?? true,
    controlsKey: rate?.key ?? null,
    controlMinutes: isMeasured ? rate.minutes : null,
    controlsCameTrue: isMeasured ? rate.cameTrue : null,
  }
}

function isSame(newResult: rows.StoredResult, previousResult: rows.StoredResult | null): boolean {
  if (!previousResult) return false
  const previousFields = new Map<string, unknown>(Object.entries(previousResult))
  return Object.entries(newResult).every(([field, value]) => previousFields.get(field) === value)
}

/**
 * Judges outcomes that were not judged yet, or not since the anchor of their alert changed. An
 * outcome whose message is missing is judged in each computation, because the feed may send the
 * message again.
 */
async function evaluate(
  ctx: Context,
  page: readonly rows.RecordRow[],
  origin: 'feed' | 'demo',
  signal: AbortSignal | undefined,
): Promise<readonly rows.RecordRow[]> {
  const unevaluatedRows = page.flatMap((row) => {
    const { index, outcome, stored, anchoredMs } = row
    const hasVerdict = stored?.outcomeIndex === outcome?.index && stored?.anchoredMs === anchoredMs
    return outcome && !hasVerdict && typeof getPrediction(row) === 'object'
      ? { index, outcomeIndex: outcome.index }
      : []
  })
  const results = new Map<number, Pick<rows.StoredResult, 'outcomeIndex' | 'problem' | 'isWitnessed'>>()
  const byIndex = new Map(page.map((row) => [row.index, row]))
  for (let from = 0; from < unevaluatedRows.length; from += MESSAGES_PER_PAGE) {
    signal?.throwIfAborted()
    for (const messages of await rows.listMessages(ctx.db, unevaluatedRows.slice(from, from + MESSAGES_PER_PAGE))) {
      const row = byIndex.get(messages.index)
      if (row?.outcome) results.set(messages.index, evaluateRow(row.outcome, row.anchoredMs, messages, origin))
    }
  }
  return page.map((row) => {
    const result = results.get(row.index)
    if (!result) return row
    return { ...row, stored: { ...(row.stored ?? initialResult), ...result, anchoredMs: row.anchoredMs } }
  })
}

function evaluateRow(
  { index: outcomeIndex, verdict, measured, createdMs }: NonNullable<rows.RecordRow['outcome']>,
  anchoredMs: number | null,
  { index: targetIndex, signalHash, signal, message, messageHash }: rows.Messages,
  origin: 'feed' | 'demo',
) {
  const { forecast, signalId, problem: brokenRule } = readSignal({ signalHash }, signal, origin, hashMessage)
  // The message in the database is not the one that was logged.
  if (!forecast)
    return { outcomeIndex: null, problem: brokenRule ?? 'The signal has no prediction', isWitnessed: false }
  const task = {
    targetIndex,
    statement: { verdict, measured, messageHash, createdAt: new Date(createdMs).toISOString() },
    message,
    signal: { id: signalId, hash: signalHash, prediction: forecast.prediction },
    anchoredMs,
  }
  const { problem, isWitnessed } = evaluateOutcome(task, hashMessage)
  return { outcomeIndex: message === null ? null : outcomeIndex, problem, isWitnessed }
}

/** Uses node:crypto, which is much faster than hashing in JavaScript. */
function hashMessage(message: string): Hex {
  return `0x${createHash('sha256').update(message).digest('hex')}`
}
