import type { Candle } from '@tocsin/proof'
import { parseRangeEnd, parseRangeStart } from '@tocsin/protocol'
import { and, asc, desc, eq, gte, inArray, isNotNull, lte, type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, unionAll } from 'drizzle-orm/pg-core'
import type { Queryable, Tx } from '../../db/database.ts'
import { alertOutcomes, alertPredictions, alertSignals, alerts, marketCandles } from '../../db/schema/alerts.ts'
import { anchors } from '../../db/schema/log.ts'
import { findOutcomeMessage } from '../alerts/store.ts'

// Messages

/** @param readable condition on the alert, or undefined if all alerts are readable */
export async function findMessage(tx: Queryable, readable: SQL | undefined, hash: string): Promise<string | null> {
  const [signal] = await tx
    .select({ message: alertSignals.message })
    .from(alerts)
    .innerJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
    .where(and(eq(alerts.signalHash, hash), readable))
    .limit(1)
  return signal ? signal.message : findOutcomeMessage(tx, readable, hash)
}

export interface NamedMessage {
  /** Index of the entry that names the message. */
  index: number
  message: string
}

/**
 * Returns messages of signals and outcomes from an index on, in order.
 * @param readable condition on the alert, or undefined if all alerts are readable
 */
export async function listMessages(
  tx: Queryable,
  readable: SQL | undefined,
  from: number,
  limit: number,
): Promise<NamedMessage[]> {
  const { logIndex, targetIndex, message } = alertOutcomes
  const matchSignals = (until?: number) =>
    and(gte(alerts.logIndex, from), buildUpperBound(alerts.logIndex, until), readable)
  const matchOutcomes = (until?: number) =>
    and(gte(logIndex, from), buildUpperBound(logIndex, until), isNotNull(message), readable)
  // Find the page's last index first, so that the long outcome messages after it are not read.
  const [lastIndexed] = await unionAll(
    tx
      .select({ index: alerts.logIndex })
      .from(alerts)
      .innerJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
      .where(matchSignals())
      .orderBy(asc(alerts.logIndex))
      .limit(limit),
    tx
      .select({ index: logIndex })
      .from(alertOutcomes)
      .innerJoin(alerts, eq(alerts.logIndex, targetIndex))
      .where(matchOutcomes())
      .orderBy(asc(logIndex))
      .limit(limit),
  )
    .orderBy(sql`1`)
    .offset(limit - 1)
    .limit(1)
  const [signals, outcomes] = await Promise.all([
    tx
      .select({ index: alerts.logIndex, message: alertSignals.message })
      .from(alerts)
      .innerJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
      .where(matchSignals(lastIndexed?.index)),
    tx
      .select({ index: logIndex, message: sql<string>`${message}` })
      .from(alertOutcomes)
      .innerJoin(alerts, eq(alerts.logIndex, targetIndex))
      .where(matchOutcomes(lastIndexed?.index)),
  ])
  return [...signals, ...outcomes].sort((a, b) => a.index - b.index)
}

const buildUpperBound = (column: AnyPgColumn, until: number | undefined) =>
  until === undefined ? undefined : lte(column, until)

// Candles

export interface MarketDay {
  venue: string
  market: string
  /** Format: YYYY-MM-DD. */
  day: string
}

/**
 * True if an alert created by `publicCutoff` predicts this market on this UTC day.
 * @param publicCutoff null: all alerts count
 */
export async function isPredicted(
  tx: Queryable,
  { venue, market, day }: MarketDay,
  publicCutoff: Date | null,
): Promise<boolean> {
  const { forecast, startsAt, logIndex } = alertPredictions
  const matchesMarket = (marketJson: SQL) =>
    sql`(${marketJson} ->> 'venue' = ${venue} and ${marketJson} ->> 'market' = ${market})`
  const prediction = sql`${forecast} -> 'prediction'`
  const [row] = await tx
    .select({ logIndex })
    .from(alertPredictions)
    .innerJoin(alerts, eq(alerts.logIndex, logIndex))
    .where(
      and(
        gte(startsAt, new Date(parseRangeStart(day))),
        // Use the end of the day, because the day after 9999-12-31 would have a year that
        // PostgreSQL does not read.
        lte(startsAt, new Date(parseRangeEnd(day))),
        publicCutoff === null ? undefined : lte(alerts.createdAt, publicCutoff),
        sql`(${matchesMarket(sql`(${prediction})`)} or ${matchesMarket(sql`(${prediction} -> 'other')`)})`,
      ),
    )
    .limit(1)
  return row !== undefined
}

export async function findCandles(tx: Queryable, { venue, market, day }: MarketDay): Promise<Candle[] | null> {
  const [row] = await tx
    .select({ candles: marketCandles.candles })
    .from(marketCandles)
    .where(and(eq(marketCandles.venue, venue), eq(marketCandles.market, market), eq(marketCandles.day, day)))
  return row?.candles ?? null
}

/** Adds candles. If a minute has a candle already, the stored one is not replaced. */
export async function addCandles(tx: Tx, marketDay: MarketDay, newCandles: readonly Candle[]): Promise<void> {
  const { venue, market, day, candles } = marketCandles
  await tx
    .insert(marketCandles)
    .values({ ...marketDay, candles: [] })
    .onConflictDoNothing()
  const isOfMarketDay = and(eq(venue, marketDay.venue), eq(market, marketDay.market), eq(day, marketDay.day))
  const [row] = await tx.select({ candles }).from(marketCandles).where(isOfMarketDay).for('update')
  const byMinute = new Map((row?.candles ?? []).map((candle) => [candle[0], candle]))
  for (const candle of newCandles) if (!byMinute.has(candle[0])) byMinute.set(candle[0], candle)
  // All candles are stored already: a feed sends them again on each connection.
  if (byMinute.size === row?.candles.length) return
  await tx
    .update(marketCandles)
    .set({ candles: [...byMinute.values()].sort((a, b) => a[0] - b[0]) })
    .where(isOfMarketDay)
}

/**
 * Returns the number of candles of each market on each of these days. The number changes whenever
 * the candles do, because candles are only added, never changed.
 */
export async function listCandleCounts(tx: Queryable, days: string[]) {
  const { venue, market, day, count } = marketCandles
  if (days.length === 0) return []
  return tx
    .select({ venue, market, day, count })
    .from(marketCandles)
    .where(inArray(day, days))
    .orderBy(asc(day), asc(venue), asc(market))
}

// The record

/**
 * Returns the newest anchor whose block time is not after `now`, and the number of stored candles,
 * which grows whenever candles arrive.
 */
export async function findRecordAnchor(tx: Queryable, now: Date) {
  const { size, blockAt, blockNumber, blockHash } = anchors
  const candleCount = sql<string>`(select coalesce(sum(${marketCandles.count}), 0) from ${marketCandles})`
  const [row] = await tx
    .select({ size, blockAt, blockNumber, blockHash, candleCount })
    .from(anchors)
    .where(lte(blockAt, now))
    .orderBy(desc(size))
    .limit(1)
  return row ?? null
}

/**
 * Returns the first anchor of each UTC day, considering only anchors that cover at most `upToSize`
 * entries. The hashes of their blocks select the control minutes: random minutes at which
 * predictions are measured for comparison.
 */
export async function listDayAnchors(tx: Queryable, upToSize: number) {
  const { size, blockAt, blockNumber, blockHash } = anchors
  const day = sql`date_trunc('day', ${blockAt} at time zone 'UTC')`
  return tx
    .selectDistinctOn([day], { size, blockAt, blockNumber, blockHash })
    .from(anchors)
    .where(lte(size, upToSize))
    .orderBy(day, asc(size))
}

export async function isAnchored(tx: Queryable, { size, blockHash }: { size: number; blockHash: string }) {
  return (await tx.$count(anchors, and(eq(anchors.size, size), eq(anchors.blockHash, blockHash)))) === 1
}
