import { z } from 'zod'
import { isOneLine, isPlainText } from './plain-text.ts'
import { predictionModel } from './prediction.ts'
import { isoTime, realTime, utcDay } from './primitives.ts'

/**
 * Maximum numbers of items in a status message, and its maximum size in bytes. The server stores
 * the newest message, so the limits bound its storage.
 */
export const statusLimits = { sources: 10, markets: 40, assets: 41, days: 7, thresholds: 40, bytes: 48 * 1024 } as const

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const duration = z.number().int().min(0).max(1e12)
/** A text of a feed. It is untrusted, so it must be one line and is displayed as plain text. */
const createTextSchema = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => isPlainText(value) && isOneLine(value), 'Not plain text of one line')

/** Types of alerts that depend on a threshold. */
export const thresholdKinds = ['price', 'volume', 'volatility', 'marketWide'] as const
export type ThresholdKind = (typeof thresholdKinds)[number]
const createSchemaByKind = <Schema extends z.ZodType>(schema: Schema) =>
  z.strictObject({ price: schema, volume: schema, volatility: schema, marketWide: schema })
const threshold = z.number().min(0).max(100)

const source = z.strictObject({
  venue: createTextSchema(40),
  state: z.enum(['connected', 'connecting']),
  connections: count,
  /** The reason why the newest connection ended. */
  lastEnd: createTextSchema(200).nullable(),
  /** The response of the exchange to a subscription that it rejected. */
  rejected: createTextSchema(200).nullable(),
  /** Number of frames and trades of this venue that the engine refused, in all markets together. */
  refused: count,
})

const market = z.strictObject({
  /** Venue and market, for example `binance:BTC/USDT`. */
  market: createTextSchema(80),
  newestTradeAt: realTime.nullable(),
  /**
   * Time from the exchange's time of the newest trade to its arrival at the engine. Null if no
   * trade has arrived.
   */
  lagMs: duration.nullable(),
  trades: count,
  gapsFilled: count,
  tradesFilled: count,
  gapsLost: count,
  isCatchingUp: z.boolean(),
})

const asset = z.strictObject({
  asset: createTextSchema(40),
  /** Number of alerts on each day. */
  alerts: z.array(count).max(statusLimits.days),
  /** Time at which an alert of this priority was last raised. Null if none was raised. */
  criticalAt: realTime.nullable(),
  highAt: realTime.nullable(),
  /** Number of alerts on all days that each of the `triedThresholds` would have raised. */
  peaks: createSchemaByKind(z.array(count).max(statusLimits.thresholds)),
})

const status = z.strictObject({
  type: z.literal('status'),
  /** Random name of this run of the engine. */
  run: z.string().regex(/^[0-9a-f]{16}$/, 'Expected 16 lower-case hexadecimal digits'),
  startedAt: realTime,
  sentAt: realTime,
  mode: z.enum(['live', 'replay', 'simulated']),
  model: predictionModel,
  /** Time of the newest event. Null before the first one. */
  eventTime: realTime.nullable(),
  clockSetBackMs: duration,
  messages: z.strictObject({ waiting: count, leftOut: count }),
  /**
   * `due`: the period that the prediction covers is over. `overdue`: the time for the outcome is
   * over too.
   */
  predictions: z.strictObject({ open: count, due: count, overdue: count }),
  sources: z.array(source).max(statusLimits.sources),
  markets: z.array(market).max(statusLimits.markets),
  /** Number of markets and assets that are left out because of the limits. */
  leftOut: z.strictObject({ markets: count, assets: count }),
  /** UTC days, oldest first. `minutes`: number of minutes of the day that the engine watched. */
  days: z.array(z.strictObject({ day: utcDay, minutes: z.number().int().min(0).max(1_440) })).max(statusLimits.days),
  assets: z.array(asset).max(statusLimits.assets),
  triedThresholds: z.array(threshold).max(statusLimits.thresholds),
  thresholds: createSchemaByKind(threshold),
})

/**
 * Status that an engine reports to operators: a message of the feed, stored unchanged. A new status
 * replaces the previous one.
 */
export const engineStatus = status.superRefine(({ days, triedThresholds, assets }, ctx) => {
  assets.forEach(({ alerts, peaks }, index) => {
    if (alerts.length !== days.length)
      ctx.addIssue({ code: 'custom', path: ['assets', index, 'alerts'], message: 'Expected a number for each day' })
    for (const kind of thresholdKinds) {
      if (peaks[kind].length === triedThresholds.length) continue
      const path = ['assets', index, 'peaks', kind]
      ctx.addIssue({ code: 'custom', path, message: 'Expected a number for each threshold' })
    }
  })
})
export type EngineStatus = z.infer<typeof engineStatus>

/** The schema as JSON Schema (draft 2020-12). Published as docs/status.schema.json. */
export function statusJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(status, { io: 'input' })
  return { $schema, $id: 'https://tocsin.local/status.schema.json', title: 'Tocsin engine status', ...schema }
}

/** The newest status of the feed's engine, for admins. */
export const engineView = z.object({
  now: isoTime,
  /** Time at which the server received the status. Null if no feed has sent one. */
  receivedAt: isoTime.nullable(),
  /**
   * True if the engine has sent no status for more than 35 seconds. It normally sends one every ten
   * seconds.
   */
  isSilent: z.boolean(),
  status: status.nullable(),
})
export type EngineView = z.infer<typeof engineView>
