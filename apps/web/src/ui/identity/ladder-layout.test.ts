import { describe, expect, it } from 'vitest'
import { getRungState, layOutLadder } from './ladder-layout.ts'

describe('layOutLadder', () => {
  it('spaces leaf, rungs, root, transaction and block 40 px apart', () => {
    const layout = layOutLadder(2, undefined, false)
    expect([layout.leafY, ...layout.rungY, layout.rootY, layout.transactionY, layout.blockY]).toEqual([
      20, 60, 100, 140, 180, 220,
    ])
    expect(layout.boxY).toBeNull()
  })

  it('moves everything below a broken rung down by 72 px and puts the failure box 14 px below that rung', () => {
    const layout = layOutLadder(3, 2, false)
    expect(layout.rungY).toEqual([60, 100, 212])
    expect(layout.boxY).toBe(114)
  })

  it('moves only the transaction and the block when the root differs', () => {
    const layout = layOutLadder(1, 'root', false)
    expect([layout.rootY, layout.transactionY]).toEqual([100, 212])
    expect(layout.boxY).toBe(114)
  })

  it('puts the root directly below the leaf when the tree has one leaf', () => {
    expect(layOutLadder(0, undefined, false).rootY).toBe(60)
  })

  it('returns a narrower layout when the screen is a phone', () => {
    expect(layOutLadder(1, undefined, true)).toMatchObject({ width: 324, left: 114, right: 210 })
  })
})

it.each([
  [1, undefined, 'proved'],
  [4, 5, 'proved'],
  [5, 5, 'broken'],
  [6, 5, 'unreached'],
  [6, 'root', 'proved'],
] as const)('getRungState: rung %d with a failure at %s is %s', (rung, failedAt, state) => {
  expect(getRungState(rung, failedAt)).toBe(state)
})
