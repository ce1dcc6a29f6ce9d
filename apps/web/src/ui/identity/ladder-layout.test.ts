import { describe, expect, it } from 'vitest'
import { layOutLadder, rungState } from './ladder-layout.ts'

describe('layOutLadder', () => {
  it('stands in steps of 40 from the leaf to the block', () => {
    const layout = layOutLadder(2, undefined, false)
    expect([layout.leafY, ...layout.rungY, layout.rootY, layout.transactionY, layout.blockY]).toEqual([
      20, 60, 100, 140, 180, 220,
    ])
    expect(layout.boxY).toBeNull()
  })

  it('moves all under a broken rung down by 72 and puts the box 14 under it', () => {
    const layout = layOutLadder(3, 2, false)
    expect(layout.rungY).toEqual([60, 100, 212])
    expect(layout.boxY).toBe(114)
  })

  it('moves only transaction and block when the root differs', () => {
    const layout = layOutLadder(1, 'root', false)
    expect([layout.rootY, layout.transactionY]).toEqual([100, 212])
    expect(layout.boxY).toBe(114)
  })

  it('has a root right under the leaf when the tree has one leaf', () => {
    expect(layOutLadder(0, undefined, false).rootY).toBe(60)
  })

  it('is narrower on a phone', () => {
    expect(layOutLadder(1, undefined, true)).toMatchObject({ width: 324, left: 114, right: 210 })
  })
})

it.each([
  [1, undefined, 'proved'],
  [4, 5, 'proved'],
  [5, 5, 'broken'],
  [6, 5, 'unreached'],
  [6, 'root', 'proved'],
] as const)('rung %d with a failure at %s is %s', (rung, failedAt, state) => {
  expect(rungState(rung, failedAt)).toBe(state)
})
