import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { statusJsonSchema } from './engine-status.ts'
import { signalJsonSchema } from './feed.ts'
import { signal } from './index.ts'
import { outcomeJsonSchema } from './outcome.ts'

const readDocument = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')

test('docs/signal.schema.json: equals the schema that validates signals', () => {
  expect(JSON.parse(readDocument('signal.schema.json'))).toEqual(signalJsonSchema())
})

test('docs/outcome.schema.json: equals the schema of outcome messages', () => {
  expect(JSON.parse(readDocument('outcome.schema.json'))).toEqual(outcomeJsonSchema())
})

test('docs/status.schema.json: equals the schema of status messages', () => {
  expect(JSON.parse(readDocument('status.schema.json'))).toEqual(statusJsonSchema())
})

describe('docs/signal-protocol.md', () => {
  const page = readDocument('signal-protocol.md')

  it('shows a valid example signal', () => {
    const [, example = ''] = /```json\n(.+)\n```/.exec(page) ?? []
    expect(signal.safeParse(JSON.parse(example)).error).toBeUndefined()
  })

  it('shows a valid example prediction', () => {
    const examples = [...page.matchAll(/```json\n(.+)\n```/g)].map(([, text = '']) => JSON.parse(text))
    const [example] = examples.filter((candidate) => 'prediction' in candidate)
    const { prediction, model } = signal.shape
    expect(z.strictObject({ prediction, model }).safeParse(example).error).toBeUndefined()
    expect(example).toBeDefined()
  })

  it('shows a valid example price', () => {
    const examples = [...page.matchAll(/```json\n(.+)\n```/g)].map(([, text = '']) => JSON.parse(text))
    const { price, quote, venue } = signal.shape
    const [example] = examples.filter((candidate) => 'price' in candidate)
    expect(z.strictObject({ price, quote, venue }).safeParse(example).error).toBeUndefined()
    expect(example).toBeDefined()
  })

  it('documents every key', () => {
    const { prediction, model } = signal.shape
    const schemas = [signal, prediction.unwrap(), model.unwrap()]
    const keys = [
      ...schemas.flatMap(({ shape }) => Object.keys(shape)),
      ...[outcomeJsonSchema(), statusJsonSchema()].flatMap(({ properties }) => Object.keys(Object(properties))),
    ]
    for (const key of keys) expect(page).toMatch(new RegExp(`\\| .*\`${key}\`.* \\|`))
  })
})
