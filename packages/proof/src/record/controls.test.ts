import { describe, expect, it } from 'vitest'
import type { Hex } from '../hex.ts'
import vectors from '../vectors/predictions.json'
import { drawControlMinutes, findLift } from './controls.ts'
import { wilsonInterval } from './intervals.ts'

const { blockHash, leafHash, horizonSeconds, minutes, fiveMinutes, lift } = vectors.controls
const drawInput = { blockHash: blockHash as Hex, leafHash: leafHash as Hex, horizonSeconds }

describe('drawControlMinutes', () => {
  it('returns the minutes of the published test vectors', () => {
    expect(drawControlMinutes(drawInput)).toEqual(minutes)
    expect(drawControlMinutes({ ...drawInput, horizonSeconds: 300 })).toEqual(fiveMinutes)
  })

  it('replaces unusable minutes with the next draws', () => {
    const [unusableMinute] = minutes
    const drawnMinutes = drawControlMinutes(drawInput, (minute) => minute !== unusableMinute)
    expect(drawnMinutes).toHaveLength(20)
    expect(drawnMinutes.slice(0, 19)).toEqual(minutes.slice(1))
  })

  it('stops after 1000 draws if too few minutes are usable', () => {
    let count = 0
    const drawnMinutes = drawControlMinutes(drawInput, (minute) => {
      count += 1
      return minute === minutes[0]
    })
    expect(count).toBe(1000)
    expect(drawnMinutes.length).toBeGreaterThan(0)
    expect(new Set(drawnMinutes)).toEqual(new Set(minutes.slice(0, 1)))
  })

  it('draws other minutes for another block or another alert', () => {
    for (const change of [{ blockHash: drawInput.leafHash }, { leafHash: drawInput.blockHash }]) {
      expect(drawControlMinutes({ ...drawInput, ...change })).not.toEqual(minutes)
    }
  })

  it('draws only minutes whose horizon begins and ends within the day', () => {
    const drawnMinutes = drawControlMinutes({ ...drawInput, horizonSeconds: 21_600 })
    for (const minute of drawnMinutes) expect(minute >= 1 && minute <= 1440 - 360).toBe(true)
  })
})

describe('findLift', () => {
  it('returns the lift and interval of the published test vectors', () => {
    const found = findLift(421 / 970, wilsonInterval(421, 970) ?? [0, 0], 0.08)
    expect(found?.lift).toBeCloseTo(lift.lift, 9)
    expect(found?.low).toBeCloseTo(lift.low, 9)
    expect(found?.high).toBeCloseTo(lift.high, 9)
  })

  it.each([0, null])('is null with a base rate of %s', (baseRate) => {
    expect(findLift(0.5, [0.4, 0.6], baseRate)).toBeNull()
  })
})
