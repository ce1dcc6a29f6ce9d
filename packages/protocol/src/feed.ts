import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { prediction, predictionModel } from './prediction.ts'
import { isPlainText } from './primitives.ts'

const seriesNumber = z.number().min(-1e12).max(1e12)

/**
 * Measurements around the anomaly, for a chart: values at equal steps, oldest first, the last one
 * at `observedAt`. `values[triggerIndex]` raised the alert. `mean` and `deviation` (one standard
 * deviation) describe the normal range. All in `unit`.
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

/**
 * One signal of the external signal feed. `observedAt` is when the model observed the anomaly (ISO
 * 8601 with offset). `prediction` and `model` are both present or both absent.
 */
export const signal = z.strictObject({
  id: z.string().min(1).max(100).refine(isPlainText, 'Not plain text'),
  ...alertContent,
  observedAt: z.iso.datetime({ offset: true }),
  series: signalSeries.optional(),
  prediction: prediction.optional(),
  model: predictionModel.optional(),
})
export type Signal = z.infer<typeof signal>

/** The signal schema as JSON Schema (draft 2020-12). Published as docs/signal.schema.json. */
export function signalJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(signal, { io: 'input' })
  const dependentRequired = { prediction: ['model'], model: ['prediction'] }
  return {
    $schema,
    $id: 'https://tocsin.local/signal.schema.json',
    title: 'Tocsin signal',
    ...schema,
    dependentRequired,
  }
}
