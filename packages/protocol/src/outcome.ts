import { z } from 'zod'
import { verdicts } from './names.ts'
import { lowerCaseHash } from './prediction.ts'

/** Digits as the exchange published them. */
const decimal = z.string().regex(/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/, 'Expected a decimal')
const openTime = z.number().int().min(0).multipleOf(60)
const candle = z.tuple([openTime, decimal, decimal, decimal, decimal, decimal])
/** At most the candles of the longest horizon (six hours) and of the 300 seconds before it. */
const candles = z.array(candle).max(365)

/**
 * An outcome message of the feed, for the published JSON Schema. The server validates messages with
 * evaluateOutcomeMessage of @tocsin/proof, which also checks the verdict against the candles.
 */
const outcomeMessage = z.strictObject({
  type: z.literal('outcome'),
  id: z.string(),
  signalHash: lowerCaseHash,
  verdict: z.enum(verdicts),
  measured: decimal.nullable(),
  candles,
  otherCandles: candles.optional(),
  missing: z.array(openTime).max(360),
  voidReason: z.enum(['missing-candles', 'no-reference']).nullable(),
  note: z.string().max(200),
})

/** The outcome schema as JSON Schema (draft 2020-12). Published as docs/outcome.schema.json. */
export function outcomeJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(outcomeMessage, { io: 'input' })
  return { $schema, $id: 'https://tocsin.local/outcome.schema.json', title: 'Tocsin outcome', ...schema }
}
