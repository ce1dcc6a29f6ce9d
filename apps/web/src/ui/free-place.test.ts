import { expect, test } from 'vitest'
import { type Box, findFreeMove, fingerPx } from './free-place.ts'

const room: Box = { left: 0, top: 60, right: 390, bottom: 780 }
const toast: Box = { left: 16, top: 700, right: 374, bottom: 764 }
const boxAt = (top: number, bottom: number, left = 20, right = 300): Box => ({ left, top, right, bottom })

test('findFreeMove: returns null when no place is free', () => {
  const rows = Array.from({ length: 15 }, (_, row) => boxAt(60 + row * 48, 60 + row * 48 + 44))
  expect(findFreeMove(toast, rows, room)).toBeNull()
})

test('findFreeMove: returns 0 when no obstacle is in the way', () => {
  expect(findFreeMove(toast, [boxAt(600, 699), boxAt(700, 760, 380, 390)], room)).toBe(0)
})

test('findFreeMove: moves to the nearest place beside the obstacles that is inside the available area', () => {
  expect(findFreeMove(toast, [boxAt(740, 780)], room)).toBe(-28)
  expect(findFreeMove(toast, [boxAt(650, 702)], room)).toBe(6)
  expect(findFreeMove(toast, [boxAt(740, 790), boxAt(640, 700)], room)).toBe(-128)
})

test('findFreeMove: keeps an area for a finger uncovered on every large obstacle', () => {
  const rows = [boxAt(100, 212), boxAt(212, 324), boxAt(324, 436), boxAt(436, 548), boxAt(548, 660), boxAt(660, 772)]
  // Without a move, the toast leaves only 40 px of the last row free above it, and 8 px below it.
  expect(findFreeMove(toast, [], room, rows)).toBe(4)
  const tall = { ...toast, top: 640 }
  expect(findFreeMove(tall, [], room, rows)).toBe(-36)
})

test('findFreeMove: returns null when every large obstacle is too small for an uncovered area', () => {
  const rows = Array.from({ length: 12 }, (_, row) => boxAt(60 + row * 60, 120 + row * 60))
  expect(findFreeMove({ ...toast, top: 640 }, [], room, rows)).toBeNull()
})

test('findFreeMove: covers a large obstacle that stays free beside the box, but no other obstacle', () => {
  const rows = Array.from({ length: 12 }, (_, row) => boxAt(60 + row * 60, 120 + row * 60, 2, 374 + fingerPx))
  expect(findFreeMove(toast, [], room, rows)).toBe(0)
  expect(findFreeMove(toast, [boxAt(690, 710)], room, rows)).toBe(14)
  const narrower = rows.map((row) => ({ ...row, right: row.right - 1 }))
  expect(findFreeMove(toast, [], room, narrower)).toBeNull()
})
