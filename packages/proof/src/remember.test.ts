import { expect, it } from 'vitest'
import { remember } from './remember.ts'

function countCalls(limit: number) {
  const computed: string[] = []
  const shout = remember(limit, (text) => {
    computed.push(text)
    return text.toUpperCase()
  })
  return { computed, shout }
}

it.each([
  ['more texts than the limit', ['a', 'b', 'c', 'a'], ['a', 'b', 'c', 'a']],
  ['long texts', ['x'.repeat(101), 'x'.repeat(101)], ['x'.repeat(101), 'x'.repeat(101)]],
])('does not keep %s', (_name, texts, expected) => {
  const { computed, shout } = countCalls(2)
  expect(texts.map(shout)).toEqual(texts.map((text) => text.toUpperCase()))
  expect(computed).toEqual(expected)
})

it('computes each text once, the empty one too', () => {
  const { computed, shout } = countCalls(2)
  expect(['a', '', 'a', ''].map(shout)).toEqual(['A', '', 'A', ''])
  expect(computed).toEqual(['a', ''])
})
