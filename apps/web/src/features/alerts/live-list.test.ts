import { expect, it } from 'vitest'
import { freezeList } from './live-list.ts'

const getLogIndex = ({ logIndex }: { logIndex: number }) => logIndex
const createEntries = (indexes: string) => [...indexes].map((digit) => ({ logIndex: Number(digit) }))

it.each([
  ['nothing', '321', null, '', '321', 0],
  ['the present top', '321', '321', '321', '321', 0],
  ['a former top', '54321', '321', '321', '321', 2],
  ['a former top that is gone', '5421', '321', '321', '21', 2],
  ['a list that was read again', '987', '321', '321', '321', 3],
  ['an empty list', '21', '', '', '', 2],
])(
  'freezeList: returns the entries to show and the number of newer entries when the list is frozen at %s',
  (_name, list, heldIndexes, shownBefore, shown, waiting) => {
    const indexes = heldIndexes === null ? null : new Set([...heldIndexes].map(Number))
    const result = freezeList(createEntries(list), getLogIndex, indexes, createEntries(shownBefore))
    expect([result.shownItems.map(getLogIndex).join(''), result.waitingCount]).toEqual([shown, waiting])
  },
)

it('freezeList: replaces a locked row in a frozen list with the readable alert that has the same log index', () => {
  const lockedRow = { logIndex: 2, id: 'locked-2' }
  const readableAlert = { logIndex: 2, id: 'b7a0' }
  expect(freezeList([readableAlert], getLogIndex, new Set([2]), [lockedRow])).toEqual({
    shownItems: [readableAlert],
    waitingCount: 0,
  })
})
