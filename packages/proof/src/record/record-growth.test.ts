import fc from 'fast-check'
import { expect, it } from 'vitest'
import { buildLog, logSteps } from '../../test/support/test-steps.ts'
import { hashSignal } from '../signal.ts'
import { evaluateOutcome } from './outcome-task.ts'
import { createRecordReader } from './record-reader.ts'
import { computeRecord, summarizeRecord } from './track-record.ts'

const hour = 3600
const delays = fc.constantFrom(0, 24)

it('record reader: returns at each anchor the same record as computeRecord for the whole log', () => {
  const seenStatuses = new Set<string>()
  fc.assert(
    fc.property(logSteps, delays, (steps, delayHours) => {
      const { entries, anchors } = buildLog(steps)
      const options = { publicDelayMs: delayHours * hour * 1000, origin: 'feed' as const }
      const reader = createRecordReader({ ...options, anchors: anchors.slice(0, 1) })
      let next = 0
      for (const [at, { size }] of anchors.entries()) {
        const anchorsSoFar = anchors.slice(0, at + 1)
        reader.extend(anchorsSoFar)
        for (const entry of entries.slice(next, size)) {
          const task = reader.add(entry)
          if (task) reader.settle(task, evaluateOutcome(task, hashSignal))
        }
        next = size
        const wholeRecord = computeRecord({ ...options, entries, anchors: anchorsSoFar })
        expect(summarizeRecord(reader.finish(), { ...options, anchors: anchorsSoFar })).toEqual(wholeRecord)
        for (const { status } of wholeRecord.alerts) seenStatuses.add(status)
      }
    }),
    // 100 of the 150 cases are the same in each run, so that every status is reached.
    { numRuns: 150, examples: fc.sample(fc.tuple(logSteps, delays), { seed: 2, numRuns: 100 }) },
  )
  const expected = [
    'false',
    'invalid',
    'late',
    'no-prediction',
    'open',
    'overdue',
    'pending',
    'true',
    'void',
    'withheld',
  ]
  expect([...seenStatuses].sort()).toEqual(expected)
})
