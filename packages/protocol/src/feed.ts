import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { isPlainText } from './plain-text.ts'
import { prediction, predictionModel, venue } from './prediction.ts'

const seriesNumber = z.number().min(-1e12).max(1e12)

/**
 * Measurements around the anomaly, for a chart: values at equal steps, oldest first, the last one
 * at `observedAt`. `values[triggerIndex]` triggered the alert. `mean` and `deviation` (one standard
 * deviation) describe the normal range. All values are in `unit`.
 */
export const signalSeries = z
  .strictObject({
    unit: z.string().max(12).refine(isPlainText, 'Not plain text'),
    stepSeconds: z.number().int().min(1).max(86_400),
    values: z.array(seriesNumber).min(2).max(120),
    triggerIndex: z.number().int().min(0).max(119),
    mean: seriesNumber,
    deviation: seriesNumber.min(0),
  })
  .refine(({ values, triggerIndex }) => triggerIndex < values.length, {
    path: ['triggerIndex'],
    message: 'Must be the index of a value',
  })
export type SignalSeries = z.infer<typeof signalSeries>

const priceHint = 'Expected a decimal above 0 as text, for example "61204.11"'
/** A decimal above 0 as defined in docs/signal-protocol.md (Numbers). */
export const price = z.string(priceHint).regex(/^(?=.*[1-9])(0|[1-9]\d{0,17})(\.\d{1,18})?$/, priceHint)
export const quote = z.string().regex(/^[A-Z0-9]{1,20}$/, 'Expected 1 to 20 of A-Z and 0-9')

/**
 * One signal of the external signal feed. `observedAt` is the time at which the model observed the
 * anomaly (ISO 8601 with offset). `prediction` and `model` are both present or both absent.
 * `price`, `quote` and `venue` are also present or absent together. `price` is the last price at
 * `observedAt`, in the currency `quote` on the exchange `venue`: the price of the prediction's
 * market or, without a prediction, of `asset`.
 */
export const signal = z
  .strictObject({
    id: z.string().min(1).max(100).refine(isPlainText, 'Not plain text'),
    ...alertContent,
    observedAt: z.iso.datetime({ offset: true }),
    series: signalSeries.optional(),
    price: price.optional(),
    quote: quote.optional(),
    venue: venue.optional(),
    prediction: prediction.optional(),
    model: predictionModel.optional(),
  })
  .refine(({ price, quote, venue }) => new Set([price, quote, venue].map((value) => value === undefined)).size === 1, {
    path: ['price'],
    message: 'price, quote and venue go together: send all three or none',
  })
  .refine(({ venue, prediction }) => !venue || !prediction || venue === prediction.venue, {
    path: ['venue'],
    message: "Must be the prediction's venue",
  })
export type Signal = z.infer<typeof signal>

/** The signal schema as JSON Schema (draft 2020-12). Published as docs/signal.schema.json. */
export function signalJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(signal, { io: 'input' })
  const dependentRequired = {
    ...{ prediction: ['model'], model: ['prediction'] },
    ...{ price: ['quote', 'venue'], quote: ['price', 'venue'], venue: ['price', 'quote'] },
  }
  return {
    $schema,
    $id: 'https://tocsin.local/signal.schema.json',
    title: 'Tocsin signal',
    ...schema,
    dependentRequired,
  }
}
