import { describe, expect, it } from 'vitest'
import { type Arrival, Arrivals } from './arrivals.ts'
import { sampleAlert } from './sample-alert-test-bed.ts'

type Step = number | 'begin' | 'live'

function play(steps: Step[]): (Arrival | number)[] {
  const arrivals = new Arrivals(null)
  return steps.flatMap((step): (Arrival | number)[] => {
    if (step === 'begin') {
      arrivals.begin()
      return []
    }
    if (step === 'live') return [arrivals.end()]
    return [arrivals.take(sampleAlert(step), step === 0)]
  })
}

describe('what arrives', () => {
  it.each<[string, Step[], (Arrival | number)[]]>([
    ['is missed before live', ['begin', 1, 2, 'live'], ['missed', 'missed', 2]],
    ['is fresh once, then an update', ['begin', 'live', 1, 1], [0, 'fresh', 'update']],
    ['is an update when the application has it', ['begin', 'live', 0], [0, 'update']],
    ['is no second time new after having been missed', ['begin', 1, 'live', 1], ['missed', 1, 'update']],
    [
      'is counted anew by each connection',
      ['begin', 1, 'live', 'begin', 1, 2, 'live'],
      ['missed', 1, 'update', 'missed', 1],
    ],
  ])('%s', (_name, steps, told) => {
    expect(play(steps)).toEqual(told)
  })

  it('moves the cursor forward only, but for a gap that was not filled', () => {
    const arrivals = new Arrivals(4)
    arrivals.take(sampleAlert(9), false)
    arrivals.take(sampleAlert(2), false)
    expect(arrivals.highestIndex).toBe(9)
    arrivals.reach(7, true)
    arrivals.reach(null, true)
    expect(arrivals.highestIndex).toBe(9)
    arrivals.reach(3, false)
    expect(arrivals.highestIndex).toBe(3)
    arrivals.reach(null, false)
    expect(arrivals.highestIndex).toBeNull()
  })
})
