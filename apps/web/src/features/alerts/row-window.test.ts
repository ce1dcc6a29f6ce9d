import { describe, expect, test } from 'vitest'
import {
  countRowsInView,
  extendRows,
  filterHeadings,
  findRowIndex,
  getHeight,
  getRowTopPx,
  limitRenderedRows,
  listRowsToDraw,
} from './row-window.ts'

const closedLayout = { count: 100, rowPx: 32, openIndex: -1, openPx: 0, headingIndexes: [], headingPx: 24 }
const openLayout = { ...closedLayout, openIndex: 10, openPx: 300 }

test.each([
  [closedLayout, 0, 0],
  [closedLayout, 31, 0],
  [closedLayout, 32, 1],
  [closedLayout, -50, 0],
  [closedLayout, 1e9, 99],
  [openLayout, 10 * 32, 10],
  [openLayout, 11 * 32 + 299, 10],
  [openLayout, 11 * 32 + 300, 11],
  [openLayout, 1e9, 99],
  [{ ...closedLayout, count: 0 }, 100, 0],
  [{ ...closedLayout, headingIndexes: [2] }, 2 * 32 - 1, 1],
  [{ ...closedLayout, headingIndexes: [2] }, 2 * 32, 2],
  [{ ...closedLayout, headingIndexes: [2] }, 2 * 32 + 24 + 31, 2],
  [{ ...closedLayout, headingIndexes: [2] }, 2 * 32 + 24 + 32, 3],
])('findRowIndex: with the layout %j, the offset of %i px is in row %i', (sizes, px, index) => {
  expect(findRowIndex(px, sizes)).toBe(index)
})

test('findRowIndex: returns the index of a row at the offset of its top edge, regardless of which row is open', () => {
  for (const openIndex of [-1, 0, 5, 99]) {
    const sizes = { ...closedLayout, openIndex, openPx: openIndex < 0 ? 0 : 417 }
    for (let index = 0; index < 100; index++) expect(findRowIndex(getRowTopPx(index, sizes), sizes)).toBe(index)
    expect(getHeight(sizes)).toBe(3_200 + sizes.openPx)
    expect(getHeight({ ...sizes, headingIndexes: [5, 50] })).toBe(3_200 + sizes.openPx + 2 * 24)
  }
})

describe('listRowsToDraw', () => {
  test.each([
    [0, 3, [], [0, 1, 2, 3]],
    [-5, 1, [], [0, 1]],
    [98, 120, [], [98, 99]],
    [50, 51, [3, 51, 99], [3, 50, 51, 99]],
    [50, 51, [-1, 100], [50, 51]],
  ])('for rows %i to %i and the pinned rows %j, returns %j', (first, last, pinnedRows, rows) => {
    expect(listRowsToDraw(first, last, pinnedRows, 100)).toEqual(rows)
  })
})

test('filterHeadings: returns only the headings of rendered rows', () => {
  const dayHeadings = [0, 3, 8, 12, 40].map((index) => ({ index }))
  expect(filterHeadings(3, 12, dayHeadings).map(({ index }) => index)).toEqual([3, 8, 12])
})

test.each([
  [200, 700, 15],
  [-5_000, 700, 20],
  [0, 701, 21],
])('countRowsInView: a list that begins at %i px in a window of %i px has %i rows in view', (topPx, windowPx, rows) => {
  expect(countRowsInView(topPx, windowPx, { rowPx: 35 })).toBe(rows)
})

test.each([
  [
    'keeps rendered rows and delays the overscan below the window',
    { first: 0, last: 40 },
    { first: 0, last: 48 },
    { first: 0, last: 40 },
  ],
  ['renders new rows in the window at once', { first: 0, last: 20 }, { first: 8, last: 60 }, { first: 8, last: 48 }],
  [
    'delays the overscan above the window when scrolling up',
    { first: 60, last: 110 },
    { first: 24, last: 76 },
    { first: 36, last: 76 },
  ],
  [
    'renders only the first twelve rows of the window after a jump',
    { first: 300, last: 350 },
    { first: 20, last: 72 },
    { first: 32, last: 43 },
  ],
  ['renders a small window after a jump', { first: 300, last: 350 }, { first: 20, last: 51 }, { first: 32, last: 39 }],
])('limitRenderedRows: %s', (_, renderedRows, next, expected) => {
  const rowsInWindow = { first: next.first + 12, last: next.last - 12 }
  expect(limitRenderedRows(renderedRows, rowsInWindow, next)).toEqual(expected)
})

test.each([
  [
    { first: 20, last: 40 },
    { first: 8, last: 52 },
    { first: 16, last: 44 },
  ],
  [
    { first: 10, last: 40 },
    { first: 8, last: 40 },
    { first: 8, last: 40 },
  ],
  [
    { first: 8, last: 52 },
    { first: 8, last: 52 },
    { first: 8, last: 52 },
  ],
])('extendRows: extends %j towards %j by at most four rows at each end to %j', (renderedRows, next, expected) => {
  expect(extendRows(renderedRows, next, 4)).toEqual(expected)
})
