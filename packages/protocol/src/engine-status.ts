import { z } from 'zod'
import { isOneLine, isPlainText } from './plain-text.ts'
import { predictionModel } from './prediction.ts'
import { isoTime } from './primitives.ts'

/** Upper limits of a status message, so that the newest one is small enough to store. */
export const statusLimits = { sources: 10, markets: 40, assets: 41, days: 7, thresholds: 40, bytes: 48 * 1024 } as const
/** A feed sends its status this often. */
export const STATUS_EVERY_MS = 10_000

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const duration = z.number().int().min(0).max(1e12)
/** The form alone would allow a 99th month. */
const time = isoTime.refine((value) => !Number.isNaN(Date.parse(value)), 'Not a time')
/** Texts of a feed are untrusted: one line, displayed as text. */
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => isPlainText(value) && isOneLine(value), 'Not plain text of one line')

/** Types of alerts that a threshold decides. */
export const thresholdKinds = ['price', 'volume', 'volatility', 'marketWide'] as const
export type ThresholdKind = (typeof thresholdKinds)[number]
const byKind = <Schema extends z.ZodType>(schema: Schema) =>
  z.strictObject({ price: schema, volume: schema, volatility: schema, marketWide: schema })
const threshold = z.number().min(0).max(100)

const source = z.strictObject({
  venue: text(40),
  state: z.enum(['connected', 'connecting']),
  connections: count,
  /** Why the newest connection ended. */
  lastEnd: text(200).nullable(),
  /** What the exchange said about a subscription that it rejected. */
  rejected: text(200).nullable(),
  /** Refused frames and trades, of the venue and all its markets. */
  refused: count,
})

const market = z.strictObject({
  /** `binance:BTC/USDT` */
  market: text(80),
  newestTradeAt: time.nullable(),
  /** From the exchange's time to the engine's for the newest trade. Null if there was none. */
  lagMs: duration.nullable(),
  trades: count,
  gapsFilled: count,
  tradesFilled: count,
  gapsLost: count,
  isCatchingUp: z.boolean(),
})

const asset = z.strictObject({
  asset: text(40),
  /** Alerts of each day. */
  alerts: z.array(count).max(statusLimits.days),
  /** When an alert of this priority was last raised. Null: never. */
  criticalAt: time.nullable(),
  highAt: time.nullable(),
  /** Over all days: for each tried threshold, how many peaks it would have let through. */
  peaks: byKind(z.array(count).max(statusLimits.thresholds)),
})

const status = z.strictObject({
  type: z.literal('status'),
  /** Random name of this run of the engine. */
  run: z.string().regex(/^[0-9a-f]{16}$/, 'Expected 16 lower-case hexadecimal digits'),
  startedAt: time,
  sentAt: time,
  mode: z.enum(['live', 'replay', 'simulated']),
  model: predictionModel,
  /** Time of the newest event. Null before the first one. */
  eventTime: time.nullable(),
  clockSetBackMs: duration,
  messages: z.strictObject({ waiting: count, leftOut: count }),
  /** `due`: the horizon is over. `overdue`: the time for the outcome is over too. */
  predictions: z.strictObject({ open: count, due: count, overdue: count }),
  sources: z.array(source).max(statusLimits.sources),
  markets: z.array(market).max(statusLimits.markets),
  /** Markets and assets beyond the limits. */
  leftOut: z.strictObject({ markets: count, assets: count }),
  /** UTC days, oldest first. `minutes`: how many of the day were watched. */
  days: z
    .array(z.strictObject({ day: z.iso.date(), minutes: z.number().int().min(0).max(1_440) }))
    .max(statusLimits.days),
  assets: z.array(asset).max(statusLimits.assets),
  triedThresholds: z.array(threshold).max(statusLimits.thresholds),
  thresholds: byKind(threshold),
})

/**
 * Status that an engine reports to operators: a message of the feed, stored unchanged. A new one
 * replaces the former one.
 */
export const engineStatus = status.superRefine(({ days, triedThresholds, assets }, ctx) => {
  assets.forEach(({ alerts, peaks }, at) => {
    if (alerts.length !== days.length)
      ctx.addIssue({ code: 'custom', path: ['assets', at, 'alerts'], message: 'Expected a number for each day' })
    for (const kind of thresholdKinds) {
      if (peaks[kind].length === triedThresholds.length) continue
      const path = ['assets', at, 'peaks', kind]
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
  /** When the server received it. Null if no feed has sent a status. */
  receivedAt: isoTime.nullable(),
  /** No status for longer than 35 seconds, although the engine sends one every ten. */
  isSilent: z.boolean(),
  status: status.nullable(),
})
export type EngineView = z.infer<typeof engineView>
