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
