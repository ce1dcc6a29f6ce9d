import { expect, it } from 'vitest'
import { drawRim, drawRosetteContour, drawSmallRosette, getContours } from './seal-geometry.ts'

const zeroHash = `0x${'00'.repeat(32)}`
const fullHash = `0x${'ff'.repeat(32)}`
const getTop = (path: string) =>
  path
    .match(/^M(\S+) ([^C]+)C/)
    ?.slice(1)
    .map(Number)

it.each([
  ['the smallest petal', zeroHash, 0, 48 - 25],
  ['the largest petal', fullHash, 0, 48 - 35],
  ['the innermost contour', fullHash, 1, 48 - 5],
])('drawRosetteContour: the path of %s starts above the center at the expected radius', (_, hash, depth, y) => {
  expect(getTop(drawRosetteContour(hash, depth))).toEqual([48, y])
})

it('drawRosetteContour: draws 32 curves, and drawSmallRosette draws 16', () => {
  expect(drawRosetteContour(fullHash, 0).match(/C/g)).toHaveLength(32)
  expect(drawSmallRosette(fullHash).match(/C/g)).toHaveLength(16)
})

it('drawRosetteContour: returns another path when one byte of the hash changes', () => {
  expect(drawRosetteContour(`0x01${zeroHash.slice(4)}`, 0)).not.toBe(drawRosetteContour(zeroHash, 0))
})

it('drawRosetteContour: accepts a hash without 0x', () => {
  expect(drawRosetteContour(fullHash.slice(2), 0)).toBe(drawRosetteContour(fullHash, 0))
})

it('drawRim: draws one tick per hex digit of the hash, in order, and a longer tick for a higher digit', () => {
  const ticks = drawRim(`0xf0${'00'.repeat(31)}`)
    .split('M')
    .slice(1)
  expect(ticks).toHaveLength(64)
  expect(ticks[0]).toBe('48.00 9.50L48.00 4.50')
  expect(ticks[1]).toMatch(/^51\.77 9\.69L51\.87 8\.69$/)
})

it.each([
  [36, 2],
  [72, 7],
  [640, 19],
])('getContours: a seal of %d px has %d contours', (size, count) => {
  expect(getContours(size)).toHaveLength(count)
})
