import { type AlertStatement, hashSignal } from '@tocsin/proof'
import { DAY_MS } from '@tocsin/protocol/durations'
import type { Context } from '@tocsin/server/context.ts'
import { buildAlertStatement, createAlertId, noTarget } from '@tocsin/server/features/alerts/alert.ts'
import { getSigner } from '@tocsin/server/features/tlog/append-entries.ts'
import { lockLog } from '@tocsin/server/features/tlog/lock-log.ts'
import { extendHead, signStatement } from '@tocsin/server/features/tlog/log.ts'
import { getProofDomain } from '@tocsin/server/features/tlog/proof-domain.ts'
import { ensureKeyList } from '@tocsin/server/features/tlog/service.ts'
import { writeEntries } from '@tocsin/server/features/tlog/store.ts'
import { sql } from 'drizzle-orm'

const BATCH_SIZE = 2_000
const SPAN_MS = 365 * DAY_MS
const ASSET_COUNT = 400
const anomalyTypes = [
  'Volume spike',
  'Funding flip',
  'Book imbalance',
  'Correlation break',
  'Price dislocation',
  'Spread widening',
  'Liquidation cascade',
  'Depeg',
] as const
const regimes = ['High volatility', 'Low volatility', 'Trend', 'Range'] as const

/**
 * Signs and logs alerts with made-up content, spread evenly over the last year. The log is valid:
 * every signature, leaf hash and tree node is real. Inserts whole batches, which takes a sixth of
 * the time that a running server needs to issue the same alerts.
 */
export async function seedAlerts(ctx: Context, count: number, print: (line: string) => void): Promise<void> {
  const endMs = ctx.clock.now().getTime() - DAY_MS / 24
  await ensureKeyList(ctx, new Date(endMs - SPAN_MS))
  const computeIssueTime = (number: number) => new Date(endMs - SPAN_MS + Math.floor(((number + 1) * SPAN_MS) / count))
  for (;;) {
    const size = await logBatch(ctx, count, computeIssueTime)
    if (size % (25 * BATCH_SIZE) === 0) print(`  ${size} alerts signed and logged`)
    if (size >= count) return
  }
}

/** @returns the number of alerts after the batch */
async function logBatch(ctx: Context, count: number, computeIssueTime: (number: number) => Date): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const log = await lockLog(ctx, tx)
    const { head, clocks } = log
    const signer = getSigner(ctx, head.signer)
    // The first log entry is the key list and all others are alerts, so this is their number.
    const from = head.size - 1
    const length = Math.min(BATCH_SIZE, count - from)
    if (length <= 0) return from
    const messages: string[] = []
    const statements = Array.from({ length }, (_, index): AlertStatement => {
      const createdAt = computeIssueTime(from + index)
      const content = createContent(from + index)
      const message = createMessage(from + index, content, createdAt)
      messages.push(message)
      const position = { index: head.size + index, id: createAlertId(createdAt), createdAt, signer }
      const alert = { content, origin: 'feed', signalHash: hashSignal(message), broadcast: true } as const
      return buildAlertStatement(alert, noTarget, position)
    })
    const entries = statements.map((statement) => signStatement(statement, getProofDomain(ctx), signer))
    const extension = extendHead(head, entries, head.signer)
    await writeEntries(tx, head.size, entries, extension, clocks.databaseAt)
    const rows = statements.map(({ salt: _salt, ...statement }) => statement)
    // The rows are passed as JSON, because there are many columns. Alerts of the feed have a
    // `signal_id`.
    await tx.execute(sql`
      insert into alerts (id, log_index, kind, asset, priority, anomaly_type, confidence, regime, summary, origin,
        signal_id, signal_hash, signer, created_at, broadcast_at)
      select id, index, 'alert', asset, priority, "anomalyType", confidence, regime, summary, 'feed', 'seed-' || index,
        "signalHash", signer, "createdAt", "createdAt"
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, index bigint, asset text, priority text,
        "anomalyType" text, confidence real, regime text, summary text, "signalHash" text, signer text, "createdAt" timestamptz)`)
    const ids = sql.param(statements.map(({ id }) => id))
    await tx.execute(sql`
      insert into alert_signals select * from unnest(${ids}::text[], ${sql.param(messages)}::text[])`)
    await tx.execute(sql`
      insert into deliveries (log_index, at)
      select log_index, created_at from alerts where log_index >= ${head.size} order by log_index`)
    return from + length
  })
}

/**
 * Returns the content of the alert with this number, which is the same in each run. Some assets and
 * types are rare, and most priorities are low.
 */
function createContent(number: number) {
  const assetNumber = Math.floor((((number * 7_919) % 1_000) ** 2 / 1_000_000) * ASSET_COUNT)
  const rank = (number * 31) % 20
  return {
    asset: `A${assetNumber}/USDT`,
    anomalyType: anomalyTypes[(number * 13) % anomalyTypes.length] ?? anomalyTypes[0],
    regime: regimes[number % regimes.length] ?? regimes[0],
    confidence: 50 + ((number * 17) % 500) / 10,
    priority: rank === 0 ? 'critical' : rank < 4 ? 'high' : rank < 10 ? 'medium' : 'low',
    summary: `Spot volume reached ${2 + (number % 97)}× its 7-day norm in 90 s; ask depth fell ${number % 89}%.`,
  } as const
}

/** Returns a message of the signal feed with a series, in the form that engines send. */
function createMessage(number: number, content: ReturnType<typeof createContent>, observedAt: Date): string {
  const values = Array.from({ length: 40 }, (_, index) => 100 + ((number * 7 + index * 13) % 50))
  const series = { unit: 'BTC', stepSeconds: 60, values, triggerIndex: 39, mean: 124.5, deviation: 14.4 }
  return JSON.stringify({ id: `seed-${number + 1}`, ...content, observedAt: observedAt.toISOString(), series })
}
