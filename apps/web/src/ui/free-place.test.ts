import { expect, test } from 'vitest'
import { findFreeOffset, type Rect, touchTargetPx } from './free-place.ts'

const freeArea: Rect = { left: 0, top: 60, right: 390, bottom: 780 }
const toast: Rect = { left: 16, top: 700, right: 374, bottom: 764 }
const createBox = (top: number, bottom: number, left = 20, right = 300): Rect => ({ left, top, right, bottom })

test('findFreeOffset: returns null when every position covers an obstacle', () => {
  const rows = Array.from({ length: 15 }, (_, row) => createBox(60 + row * 48, 60 + row * 48 + 44))
  expect(findFreeOffset(toast, rows, freeArea)).toBeNull()
})

test('findFreeOffset: returns 0 when no obstacle is in the way', () => {
  expect(findFreeOffset(toast, [createBox(600, 699), createBox(700, 760, 380, 390)], freeArea)).toBe(0)
})

test('findFreeOffset: returns the shortest move to a position inside the available area that covers no obstacle', () => {
  expect(findFreeOffset(toast, [createBox(740, 780)], freeArea)).toBe(-28)
  expect(findFreeOffset(toast, [createBox(650, 702)], freeArea)).toBe(6)
  expect(findFreeOffset(toast, [createBox(740, 790), createBox(640, 700)], freeArea)).toBe(-128)
})

test('findFreeOffset: leaves an area of touch-target size uncovered on every large obstacle', () => {
  const rows = [
    createBox(100, 212),
    createBox(212, 324),
    createBox(324, 436),
    createBox(436, 548),
    createBox(548, 660),
    createBox(660, 772),
  ]
  // Without a move, the toast leaves only 40 px of the last row free above it, and 8 px below it.
  expect(findFreeOffset(toast, [], freeArea, rows)).toBe(4)
  const tallToast = { ...toast, top: 640 }
  expect(findFreeOffset(tallToast, [], freeArea, rows)).toBe(-36)
})

test('findFreeOffset: returns null when no position leaves a touch target uncovered on every large obstacle', () => {
  const rows = Array.from({ length: 12 }, (_, row) => createBox(60 + row * 60, 120 + row * 60))
  expect(findFreeOffset({ ...toast, top: 640 }, [], freeArea, rows)).toBeNull()
})

test('findFreeOffset: may cover large obstacles, but not small ones, when a touch target beside the box stays uncovered', () => {
  const rows = Array.from({ length: 12 }, (_, row) => createBox(60 + row * 60, 120 + row * 60, 2, 374 + touchTargetPx))
  expect(findFreeOffset(toast, [], freeArea, rows)).toBe(0)
  expect(findFreeOffset(toast, [createBox(690, 710)], freeArea, rows)).toBe(14)
  const narrowerRows = rows.map((row) => ({ ...row, right: row.right - 1 }))
  expect(findFreeOffset(toast, [], freeArea, narrowerRows)).toBeNull()
})
