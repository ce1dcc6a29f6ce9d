import { describe, expect, it } from 'vitest'
import { deservesWarning } from './network-warning.ts'

const calm = {
  chainId: 1,
  requiredId: 31337,
  nowMs: 60_000,
  loadedAtMs: 0,
  focusedAtMs: Number.NEGATIVE_INFINITY,
}

describe('deservesWarning', () => {
  it.each([
    ['no wallet', { ...calm, chainId: null }, false],
    ['the right chain', { ...calm, chainId: 31337 }, false],
    ['a page that was loaded 1.999 s ago', { ...calm, nowMs: 1999 }, false],
    ['a page that was loaded 2 s ago', { ...calm, nowMs: 2000 }, true],
    ['a tab that got focus 2.999 s ago', { ...calm, focusedAtMs: 57_001 }, false],
    ['a tab that got focus 3 s ago', { ...calm, focusedAtMs: 57_000 }, true],
    ['another chain', calm, true],
  ])('%s: %#', (_name, moment, expected) => {
    expect(deservesWarning(moment)).toBe(expected)
  })
})
