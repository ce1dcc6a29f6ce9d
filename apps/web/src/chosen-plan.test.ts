import { expect, it } from 'vitest'
import { browserStorage } from './browser-storage.ts'
import { rememberChosenPlan, takeChosenPlan } from './chosen-plan.ts'

const hourMs = 3_600_000

it.each([
  ['the plan in the address', '?plan=24h', null, '24h'],
  ['the plan in the address rather than a remembered one', '?plan=24h', '3d', '24h'],
  ['a remembered plan', '', '3d', '3d'],
  ['nothing for an unknown plan', '?plan=forever', null, null],
  ['nothing without a choice', '', null, null],
] as const)('takes %s, once', (_name, search, remembered, taken) => {
  if (remembered !== null) rememberChosenPlan(remembered, 0)
  expect(takeChosenPlan(search, hourMs)).toBe(taken)
  expect(takeChosenPlan('', hourMs)).toBe(null)
})

it('forgets a plan after two hours, and ignores what it can’t read', () => {
  rememberChosenPlan('6h', 0)
  expect(takeChosenPlan('', 2 * hourMs)).toBe(null)
  for (const text of ['{', 'null', '{"planId":"1y","chosenAtMs":0}']) {
    browserStorage.setItem('chosenPlan', text)
    expect(takeChosenPlan('', 1)).toBe(null)
  }
})
