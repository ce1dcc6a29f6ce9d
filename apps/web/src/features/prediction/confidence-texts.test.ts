import { expect, test } from 'vitest'
import { describeConfidence, type TypeRecord } from './confidence-texts.ts'

const scope = 'of the simulated market'

const claim = 'confidence 43.4% that it comes true'

test.each<[confidence: number, record: TypeRecord | null, words: string]>([
  [43.4, null, claim],
  [43.4, { resolved: 149, rate: 0.4, baseRate: 0.08, scope: '' }, `${claim}, not calibrated yet (149 outcomes)`],
  [43.4, { resolved: 1, rate: 1, baseRate: null, scope: '' }, `${claim}, not calibrated yet (1 outcome)`],
  [43.4, { resolved: 0, rate: null, baseRate: null, scope: '' }, `${claim}, not calibrated yet (0 outcomes)`],
  [43.4, { resolved: 150, rate: null, baseRate: null, scope: '' }, claim],
  [
    43.4,
    { resolved: 150, rate: 0.404, baseRate: null, scope: '' },
    `${claim}; such predictions came true 40 of 100 times`,
  ],
  [
    90,
    { resolved: 150, rate: 0.2, baseRate: 0.08, scope: '' },
    'confidence 90.0% that it comes true; such predictions came true 20 of 100 times, 8 at random minutes',
  ],
  [
    43.4,
    { resolved: 1213, rate: 0.435, baseRate: 0.0795, scope: '' },
    `${claim}; such predictions came true 44 of 100 times, 8 at random minutes`,
  ],
  [
    43.4,
    { resolved: 150, rate: 0, baseRate: 0, scope: '' },
    `${claim}; such predictions came true 0 of 100 times, 0 at random minutes`,
  ],
  [
    43.4,
    { resolved: 37, rate: 0.4, baseRate: 0.08, scope },
    `${claim}, not calibrated yet (37 outcomes of the simulated market)`,
  ],
  [
    43.4,
    { resolved: 150, rate: 0.4, baseRate: 0.08, scope },
    `${claim}; such predictions came true 40 of 100 times, 8 at random minutes of the simulated market`,
  ],
])('describeConfidence: describes a confidence of %d with the record %j', (confidence, record, words) => {
  expect(describeConfidence(confidence, record)).toBe(words)
})
