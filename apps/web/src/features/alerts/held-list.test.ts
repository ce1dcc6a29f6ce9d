import { expect, it } from 'vitest'
import { holdList } from './held-list.ts'

const list = [{ id: 'c' }, { id: 'b' }, { id: 'a' }]

it.each([
  [null, ['c', 'b', 'a'], 0],
  ['gone', ['c', 'b', 'a'], 0],
  ['c', ['c', 'b', 'a'], 0],
  ['b', ['b', 'a'], 1],
  ['a', ['a'], 2],
])('held at %s shows %j and %i wait', (top, shown, waiting) => {
  const held = holdList(list, top)
  expect([held.shown.map(({ id }) => id), held.waiting]).toEqual([shown, waiting])
})
