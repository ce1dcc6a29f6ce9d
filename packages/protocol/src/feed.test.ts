import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { signalJsonSchema } from './feed.ts'
import { signal } from './index.ts'

const published = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')

test('the published JSON Schema is the one that signals are judged by', () => {
  expect(JSON.parse(published('signal.schema.json'))).toEqual(signalJsonSchema())
})

describe('the documentation', () => {
  const page = published('signal-protocol.md')

  it('shows a signal that is valid', () => {
    const [, example = ''] = /```json\n(.+)\n```/.exec(page) ?? []
    expect(signal.safeParse(JSON.parse(example)).error).toBeUndefined()
  })

  it('names every key', () => {
    for (const key of Object.keys(signal.shape)) expect(page).toContain(`| \`${key}\` |`)
  })
})
