import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { marketMessage, tickJsonSchema } from './ticks.ts'

const readDocument = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')

test('docs/tick.schema.json: equals the schema that validates market data', () => {
  expect(JSON.parse(readDocument('tick.schema.json'))).toEqual(tickJsonSchema())
})

test('docs/engine.md: shows valid example ticks', () => {
  const examples = [...readDocument('engine.md').matchAll(/```json\n(.+)\n```/g)].map(([, text = '']) =>
    JSON.parse(text),
  )
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) expect(marketMessage.safeParse(example).error).toBeUndefined()
})

const tick = {
  ...{ type: 'tick', venue: 'binance', market: 'BTC/USDT', number: 7, count: 1, at: 1_772_461_860_123 },
  ...{ price: '61204.11', amount: '0.015', takerSide: 'buy' },
}

test('marketMessage: accepts a gap whose `restarted` is true, and rejects false', () => {
  const gap = { type: 'gap', venue: 'binance', market: 'BTC/USDT', from: 10, to: 20 }
  expect(marketMessage.safeParse({ ...gap, restarted: true }).success).toBe(true)
  expect(marketMessage.safeParse({ ...gap, restarted: false }).success).toBe(false)
})

test.each<[string, object]>([
  ['price is a number', { price: 61_204.11 }],
  ['price is 0', { price: '0' }],
  ['price is negative', { price: '-1' }],
  ['price is NaN', { price: 'NaN' }],
  ['price has an exponent', { price: '1e308' }],
  ['amount is missing', { amount: undefined }],
  ['number is not safe', { number: 2 ** 53 }],
  ['number is text', { number: '7' }],
  ['count is 0', { count: 0 }],
  ['time is text', { at: '2026-03-02T14:31:00.000Z' }],
  ['time is a fraction', { at: 1.5 }],
  ['market has 10 kB', { market: 'B'.repeat(10_000) }],
  ['market contains a control character', { market: 'BTC\u0000' }],
  ['market contains an override of direction', { market: 'BTC\u202e' }],
  ['venue has capitals', { venue: 'Binance' }],
  ['side is unknown', { takerSide: 'maker' }],
  ['type is unknown', { type: 'trade' }],
  ['key is unknown', { html: '<b>' }],
])('marketMessage: rejects a tick when its %s', (_, change) => {
  expect(marketMessage.safeParse({ ...tick, ...change }).success).toBe(false)
  expect(marketMessage.safeParse(tick).success).toBe(true)
})
