import { expect, it } from 'vitest'
import { actorOf, detailOf } from './audit-words.ts'

it.each([
  [null, 'Command line'],
  [{ id: '1', name: null }, 'A deleted account'],
  [{ id: '1', name: 'Ops' }, 'Ops'],
])('%o is %s', (actor, words) => {
  expect(actorOf({ actor })).toBe(words)
})

it.each([
  [{}, ''],
  [{ hours: 8760, planId: '6h' }, 'hours 8,760, plan id 6h'],
  [{ isEnabled: false, key: 'kept', gone: null }, 'not enabled, key kept'],
  [{ saved: false, success: true }, 'not saved, success'],
])('%o says "%s"', (detail, words) => {
  expect(detailOf({ detail })).toBe(words)
})
