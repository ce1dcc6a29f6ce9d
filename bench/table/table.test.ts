import { describe, expect, it } from 'vitest'
import { formatTable, Samples } from './table.ts'

const last = { name: 'last of 500', unit: 'ms', isHigherBetter: false }
const rate = { name: 'saturated', unit: 'deliveries/s', isHigherBetter: true }

function createSamples(values: readonly number[]) {
  const samples = new Samples()
  for (const value of values) samples.add(last, 'ours', value)
  return samples
}

describe('Samples', () => {
  it.each([
    { values: [3, 1, 20], expected: { median: 3, min: 1, max: 20 } },
    { values: [4, 1, 2, 20], expected: { median: 3, min: 1, max: 20 } },
    { values: [7], expected: { median: 7, min: 7, max: 7 } },
  ])('summarises $values', ({ values, expected }) => {
    expect(createSamples(values).summarise()).toEqual([{ ...last, figures: { ours: expected } }])
  })

  it('keeps the order in which rows were added', () => {
    const samples = createSamples([1])
    samples.add(rate, 'ours', 1)
    samples.add(last, 'floor', 1)
    expect(samples.summarise().map(({ name }) => name)).toEqual(['last of 500', 'saturated'])
  })
})

describe('formatTable', () => {
  it('leaves the cell of a candidate empty when the candidate was not measured', () => {
    const samples = createSamples([1.234, 2, 12.34])
    samples.add(rate, 'floor', 123_456.7)
    expect(formatTable({ candidates: ['floor', 'ours'], rows: samples.summarise() })).toBe(
      [
        '|  | floor | ours |',
        '| --- | ---: | ---: |',
        '| last of 500, ms |  | 2.00 (1.23 to 12.3) |',
        '| saturated, deliveries/s | 123,457 (123,457 to 123,457) |  |',
      ].join('\n'),
    )
  })
})
