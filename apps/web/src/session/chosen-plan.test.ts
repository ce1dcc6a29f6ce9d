import { HOUR_MS } from '@tocsin/protocol/durations'
import { expect, it } from 'vitest'
import { browserStorage } from '../browser/browser-storage.ts'
import { consumeChosenPlan, rememberChosenPlan } from './chosen-plan.ts'

it.each([
  ['the plan in the URL', '?plan=24h', null, '24h'],
  ['the plan in the URL rather than a stored one', '?plan=24h', '3d', '24h'],
  ['a stored plan', '', '3d', '3d'],
  ['null for an unknown plan', '?plan=forever', null, null],
  ['null when no plan was chosen', '', null, null],
] as const)('consumeChosenPlan: returns %s, only once', (_name, search, rememberedPlan, consumedPlan) => {
  if (rememberedPlan !== null) rememberChosenPlan(rememberedPlan, 0)
  expect(consumeChosenPlan(search, HOUR_MS)).toBe(consumedPlan)
  expect(consumeChosenPlan('', HOUR_MS)).toBe(null)
})

it('consumeChosenPlan: ignores a stored plan when it is two hours old or invalid', () => {
  rememberChosenPlan('6h', 0)
  expect(consumeChosenPlan('', 2 * HOUR_MS)).toBe(null)
  for (const text of ['{', 'null', '{"planId":"1y","chosenAtMs":0}']) {
    browserStorage.setItem('chosenPlan', text)
    expect(consumeChosenPlan('', 1)).toBe(null)
  }
})
