import { describe, expect, it } from 'vitest'
import { createRegime, describeRegime, updateRegime } from './regime.ts'
import { defaultSettings } from './settings.ts'
import { addMinute, createStatistics } from './statistics.ts'

/** Returns the regime after each minute. In minute i, the price moves by `moves[i]` percent. */
function labelMinutes(moves: readonly number[]): string[] {
  const statistics = createStatistics(defaultSettings)
  const regime = createRegime()
  let close = 100
  return moves.map((move, i) => {
    close *= 1 + move / 100
    const minute = { at: i * 60_000, open: close, high: close, low: close, close, volume: 1, takerBuyVolume: 0.5 }
    addMinute(statistics, { ...minute, incomplete: false })
    updateRegime(regime, statistics)
    return describeRegime(regime, false)
  })
}

const createAlternatingMoves = (count: number, size: number) =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? size : -size))

describe('regime', () => {
  it('is normal, without a trend, while the size of moves does not change', () => {
    expect(new Set(labelMinutes(createAlternatingMoves(1000, 0.1)).slice(100))).toEqual(new Set(['Normal, range']))
  })

  it.each([
    ['Turbulent', 0.5],
    ['Calm', 0.01],
  ])('becomes %s within two hours when the size of moves changes, and then stays so', (state, size) => {
    const foundLabels = labelMinutes([
      ...createAlternatingMoves(1000, 0.1),
      ...createAlternatingMoves(180, size),
    ]).slice(1000)
    const first = foundLabels.findIndex((label) => label.startsWith(state))
    expect(first).toBeGreaterThan(1)
    expect(first).toBeLessThan(120)
    expect(foundLabels.slice(first).every((label) => label.startsWith(state))).toBe(true)
  })

  it.each([
    ['trend up', 0.05],
    ['trend down', -0.05],
  ])('reports a %s after the price has drifted in that direction for an hour', (trend, drift) => {
    const foundLabels = labelMinutes([
      ...createAlternatingMoves(1000, 0.1),
      ...createAlternatingMoves(60, 0.1).map((move) => move + drift),
    ])
    expect(foundLabels.at(-1)).toContain(trend)
    expect(foundLabels[1000]).toContain('range')
  })

  it('is named a crisis instead of its volatility state when isCrisis is true', () => {
    expect(describeRegime(createRegime(), true)).toBe('Crisis, range')
  })
})
