import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { signalJsonSchema } from './feed.ts'
import { signal } from './index.ts'

const published = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')

test('docs/signal.schema.json: equals the schema that validates signals', () => {
  expect(JSON.parse(published('signal.schema.json'))).toEqual(signalJsonSchema())
})

describe('docs/signal-protocol.md', () => {
  const page = published('signal-protocol.md')

  it('shows a valid example signal', () => {
    const [, example = ''] = /```json\n(.+)\n```/.exec(page) ?? []
    expect(signal.safeParse(JSON.parse(example)).error).toBeUndefined()
  })

  it('documents every key', () => {
    for (const key of Object.keys(signal.shape)) expect(page).toContain(`| \`${key}\` |`)
  })
})
