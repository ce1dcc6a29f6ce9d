import { expect, it } from 'vitest'
import { holdAt } from './live-list.ts'

const entries = (ids: string) => [...ids].map((id) => ({ id }))

it.each([
  ['nothing', 'cba', null, '', 'cba', 0],
  ['what is on top now', 'cba', 'cba', 'cba', 'cba', 0],
  ['what was on top', 'edcba', 'cba', 'cba', 'cba', 2],
  ['what was on top, of which that is gone', 'edba', 'cba', 'cba', 'ba', 2],
  ['a list that was read anew', 'zyx', 'cba', 'cba', 'cba', 3],
  ['an empty list', 'ba', '', '', '', 2],
])('holding %s', (_name, list, held, before, shown, waiting) => {
  const ids = held === null ? null : new Set(held)
  const result = holdAt(entries(list), ids, entries(before))
  expect([result.shown.map(({ id }) => id).join(''), result.waiting]).toEqual([shown, waiting])
})

it('shows each entry as it is now', () => {
  const [now] = holdAt([{ id: 'b', anchored: true }], new Set('b'), [{ id: 'b', anchored: false }]).shown
  expect(now?.anchored).toBe(true)
})
