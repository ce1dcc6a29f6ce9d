import { expect, it } from 'vitest'
import { memoize } from './memoize.ts'

function countCalls(limit: number) {
  const computed: string[] = []
  const shout = memoize(limit, (text) => {
    computed.push(text)
    return text.toUpperCase()
  })
  return { computed, shout }
}

it.each([
  ['more texts than the limit', ['a', 'b', 'c', 'a'], ['a', 'b', 'c', 'a']],
  ['long texts', ['x'.repeat(101), 'x'.repeat(101)], ['x'.repeat(101), 'x'.repeat(101)]],
])('memoize: does not cache %s', (_name, texts, expected) => {
  const { computed, shout } = countCalls(2)
  expect(texts.map(shout)).toEqual(texts.map((text) => text.toUpperCase()))
  expect(computed).toEqual(expected)
})

it('memoize: computes each text once, including the empty text', () => {
  const { computed, shout } = countCalls(2)
  expect(['a', '', 'a', ''].map(shout)).toEqual(['A', '', 'A', ''])
  expect(computed).toEqual(['a', ''])
})
