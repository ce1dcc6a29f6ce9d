import { expect, it } from 'vitest'
import { extendedEnd, extensionForm, invalidHours } from './extension.ts'

const end = '2026-11-23T04:39:12.000Z'

it.each(['', ' ', '0', '-1', '1.5', '1e2', '0x10', '8761', '1234567890123456789012345678901234567890', 'six'])(
  'extensionForm: rejects "%s"',
  (hours) => {
    const { error } = extensionForm.safeParse({ hours, reason: '' })
    expect(error?.issues[0]?.message).toBe(invalidHours)
    expect(extendedEnd(end, hours)).toBeNull()
  },
)

it.each([
  ['1', 1, '2026-11-23T05:39:12.000Z'],
  [' 24 ', 24, '2026-11-24T04:39:12.000Z'],
  ['8760', 8760, '2027-11-23T04:39:12.000Z'],
])('extensionForm: parses "%s" as %i hours, and extendedEnd returns %s', (typed, hours, endsAt) => {
  expect(extensionForm.parse({ hours: typed, reason: '' }).hours).toBe(hours)
  expect(extendedEnd(end, typed)).toBe(endsAt)
})
