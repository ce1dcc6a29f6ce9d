import { describe, expect, it } from 'vitest'
import { getAlert } from '../../protocol/test/support/sample-alert.ts'
import { type Delivery, DeliveryTracker } from './delivery-tracker.ts'

type Step = number | 'connect' | 'live'

function runSteps(steps: Step[]): (Delivery | number)[] {
  const tracker = new DeliveryTracker(null)
  return steps.flatMap((step): (Delivery | number)[] => {
    if (step === 'connect') {
      tracker.startBackfill()
      return []
    }
    if (step === 'live') return [tracker.endBackfill()]
    return [tracker.classify(getAlert(step), step === 0)]
  })
}

describe('DeliveryTracker', () => {
  it.each<[string, Step[], (Delivery | number)[]]>([
    ['reports alerts that arrive before live as missed', ['connect', 1, 2, 'live'], ['missed', 'missed', 2]],
    ['reports an alert as fresh once, then as an update', ['connect', 'live', 1, 1], [0, 'fresh', 'update']],
    ['reports an alert as an update if the application already has it', ['connect', 'live', 0], [0, 'update']],
    ['reports a missed alert as an update if it arrives again', ['connect', 1, 'live', 1], ['missed', 1, 'update']],
    [
      'counts missed alerts per connection',
      ['connect', 1, 'live', 'connect', 1, 2, 'live'],
      ['missed', 1, 'update', 'missed', 1],
    ],
  ])('%s', (_name, steps, expected) => {
    expect(runSteps(steps)).toEqual(expected)
  })

  it('moves the cursor back only when a gap was not recovered', () => {
    const tracker = new DeliveryTracker(4)
    tracker.classify(getAlert(9), false)
    tracker.classify(getAlert(2), false)
    expect(tracker.highestIndex).toBe(9)
    tracker.moveCursor(7, true)
    tracker.moveCursor(null, true)
    expect(tracker.highestIndex).toBe(9)
    tracker.moveCursor(3, false)
    expect(tracker.highestIndex).toBe(3)
    tracker.moveCursor(null, false)
    expect(tracker.highestIndex).toBeNull()
  })
})
