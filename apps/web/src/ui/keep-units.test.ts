import { expect, test } from 'vitest'
import { addNoBreakSpaces } from './keep-units.ts'

test.each([
  ['Price fell 1.8 % in 4 min', 'Price fell 1.8\u00a0% in 4\u00a0min'],
  ['20x usual in 5 min, 3 sessions', '20x usual in 5\u00a0min, 3 sessions'],
  ['64 % of 0.2 %', '64\u00a0% of 0.2\u00a0%'],
  ['about % of 3%', 'about % of 3%'],
])('addNoBreakSpaces: joins numbers and their units in "%s"', (text, expected) => {
  expect(addNoBreakSpaces(text)).toBe(expected)
})
