import { describe, expect, it } from 'vitest'
import { shouldWarn } from './network-warning.ts'

const wrongChainState = {
  chainId: 1,
  requiredId: 31337,
  nowMs: 60_000,
  loadedAtMs: 0,
  focusedAtMs: Number.NEGATIVE_INFINITY,
}

describe('shouldWarn', () => {
  it.each([
    ['false when no wallet is connected', { ...wrongChainState, chainId: null }, false],
    ['false when the wallet is on the required chain', { ...wrongChainState, chainId: 31337 }, false],
    ['false when the page was loaded 1.999 s ago', { ...wrongChainState, nowMs: 1999 }, false],
    ['true when the page was loaded 2 s ago', { ...wrongChainState, nowMs: 2000 }, true],
    ['false when the tab got focus 2.999 s ago', { ...wrongChainState, focusedAtMs: 57_001 }, false],
    ['true when the tab got focus 3 s ago', { ...wrongChainState, focusedAtMs: 57_000 }, true],
    ['true when the wallet is on another chain', wrongChainState, true],
  ])('returns %s', (_name, situation, expected) => {
    expect(shouldWarn(situation)).toBe(expected)
  })
})
