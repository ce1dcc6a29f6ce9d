import { z } from 'zod'
import { price } from './feed.ts'
import { isOneLine } from './plain-text.ts'
import { venue } from './prediction.ts'

const oneLine = z.string().min(1).max(40).refine(isOneLine, 'Not one line of text')
/** Milliseconds since 1970. */
const time = z.number().int().min(0).max(8_640_000_000_000_000)

const marketFields = { venue, market: oneLine }

/** One public trade, or several that the exchange reports as one (docs/engine.md, Ticks). */
export const marketTick = z.strictObject({
  type: z.literal('tick'),
  ...marketFields,
  number: z.number().int().min(0),
  count: z.number().int().min(1).optional(),
  at: time,
  price,
  amount: price,
  takerSide: z.enum(['buy', 'sell']),
})

/** A message of a source of market data. */
export const marketMessage = z.discriminatedUnion('type', [
  marketTick,
  z.strictObject({
    type: z.literal('gap'),
    ...marketFields,
    from: time,
    to: time,
    restarted: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal('clock'), at: time }),
])
export type MarketMessage = z.infer<typeof marketMessage>

/** The schema of a source's messages as JSON Schema. Published as docs/tick.schema.json. */
export function tickJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(marketMessage, { io: 'input' })
  return { $schema, $id: 'https://tocsin.local/tick.schema.json', title: 'Tocsin market data', ...schema }
}
