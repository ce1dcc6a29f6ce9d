import { z } from 'zod'
import { verdicts } from './names.ts'
import { isPlainText } from './plain-text.ts'
import { isoTime } from './primitives.ts'

const createTextSchema = (max: number) => z.string().min(1).max(max).refine(isPlainText, 'Not plain text')

/** A 32-byte hash in the form that signed messages require. */
export const lowerCaseHash = z.string().regex(/^0x[0-9a-f]{64}$/, 'Expected 0x and 64 lower-case hexadecimal digits')

/** Name of an exchange. */
export const venue = z.string().regex(/^[a-z0-9-]{1,40}$/, 'Expected 1 to 40 of a-z, 0-9 and -')

const market = {
  venue,
  market: createTextSchema(40),
}

/**
 * A prediction about public candles, as stated in a signal (docs/signal-protocol.md, Predictions).
 * The schema validates each key separately; parseForecast of @tocsin/proof also checks the rules
 * between them.
 */
export const prediction = z.strictObject({
  metric: z.enum(['maxExcursion', 'volume', 'realisedVariance', 'spread']),
  comparison: z.literal('gte'),
  threshold: z.number().min(0.000_001).max(1e15),
  ...market,
  other: z.strictObject(market).optional(),
  candleSeconds: z.literal(60),
  startsAt: isoTime,
  horizonSeconds: z.number().int().min(300).max(21_600).multipleOf(60),
  resolveBy: isoTime,
})

/** The model that made a prediction. */
export const predictionModel = z.strictObject({
  name: createTextSchema(60),
  version: createTextSchema(40),
  settingsHash: lowerCaseHash,
})

/** The outcome of an alert's prediction, as a log entry states it. */
export const alertOutcome = z.object({
  logIndex: z.number().int().nonnegative(),
  verdict: z.enum(verdicts),
  /** The measured value as a decimal. Null if and only if the verdict is `void`. */
  measured: z.string().nullable(),
  createdAt: isoTime,
  /** SHA-256 of the message with the candles. */
  messageHash: z.string(),
})
export type AlertOutcome = z.infer<typeof alertOutcome>
