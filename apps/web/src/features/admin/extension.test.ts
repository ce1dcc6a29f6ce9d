import { expect, it } from 'vitest'
import { computeExtendedEnd, extensionForm, invalidHoursMessage } from './extension.ts'

const endTime = '2026-11-23T04:39:12.000Z'

it.each(['', ' ', '0', '-1', '1.5', '1e2', '0x10', '8761', '1234567890123456789012345678901234567890', 'six'])(
  'extensionForm: rejects "%s"',
  (hours) => {
    const { error } = extensionForm.safeParse({ hours, reason: '' })
    expect(error?.issues[0]?.message).toBe(invalidHoursMessage)
    expect(computeExtendedEnd(endTime, hours)).toBeNull()
  },
)

it.each([
  ['1', 1, '2026-11-23T05:39:12.000Z'],
  [' 24 ', 24, '2026-11-24T04:39:12.000Z'],
  ['8760', 8760, '2027-11-23T04:39:12.000Z'],
])('extensionForm: parses "%s" as %i hours, and computeExtendedEnd returns %s', (typedHours, hours, endsAt) => {
  expect(extensionForm.parse({ hours: typedHours, reason: '' }).hours).toBe(hours)
  expect(computeExtendedEnd(endTime, typedHours)).toBe(endsAt)
})
