import { expect, test } from 'vitest'
import { describeConfidence, type TypeRecord } from './confidence-words.ts'

const scope = 'of the simulated market'

test.each<[confidence: number, record: TypeRecord | null, words: string]>([
  [43.4, null, 'confidence 43% that it comes true'],
  [
    43.4,
    { resolved: 149, baseRate: 0.08, scope: '' },
    'confidence 43% that it comes true, not calibrated yet (149 outcomes)',
  ],
  [
    43.4,
    { resolved: 1, baseRate: null, scope: '' },
    'confidence 43% that it comes true, not calibrated yet (1 outcome)',
  ],
  [
    43.4,
    { resolved: 0, baseRate: null, scope: '' },
    'confidence 43% that it comes true, not calibrated yet (0 outcomes)',
  ],
  [43.4, { resolved: 150, baseRate: null, scope: '' }, 'such predictions came true 43 of 100 times'],
  [
    43.5,
    { resolved: 1213, baseRate: 0.0795, scope: '' },
    'such predictions came true 44 of 100 times, 8 at random minutes',
  ],
  [43, { resolved: 150, baseRate: 0, scope: '' }, 'such predictions came true 43 of 100 times, 0 at random minutes'],
  [
    43,
    { resolved: 37, baseRate: 0.08, scope },
    'confidence 43% that it comes true, not calibrated yet (37 outcomes of the simulated market)',
  ],
  [
    43,
    { resolved: 150, baseRate: 0.08, scope },
    'such predictions came true 43 of 100 times, 8 at random minutes of the simulated market',
  ],
])('describeConfidence: describes a confidence of %d with the record %j', (confidence, record, words) => {
  expect(describeConfidence(confidence, record)).toBe(words)
})
