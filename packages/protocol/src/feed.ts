import { z } from 'zod'
import { alertContent } from './alerts.ts'
import { isPlainText } from './primitives.ts'

/** One message of the external signal feed. `observedAt` is when the model saw the anomaly (ISO 8601 with zone). */
export const signal = z.strictObject({
  id: z.string().min(1).max(100).refine(isPlainText, 'Not plain text'),
  ...alertContent,
  observedAt: z.iso.datetime({ offset: true }),
})
export type Signal = z.infer<typeof signal>

/** The same as JSON Schema (draft 2020-12), as docs/signal.schema.json publishes it. */
export function signalJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(signal, { io: 'input' })
  return { $schema, $id: 'https://tocsin.local/signal.schema.json', title: 'Tocsin signal', ...schema }
}
