import { expect, test, vi } from 'vitest'
import { toLocalMs } from './local-time.ts'

/** Spells a name with each letter in upper or lower case, as the bits of a number determine. */
function respell(name: string, bits: number): string {
  return [...name.toLowerCase()].map((letter, index) => ((bits >> index) & 1 ? letter.toUpperCase() : letter)).join('')
}

test('local time: keeps a limited number of cached formatters when one time zone arrives in many spellings', () => {
  const Original = Intl.DateTimeFormat
  const formatterZones: (string | undefined)[] = []
  const spy = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function count(locales, options) {
    formatterZones.push(options?.timeZone)
    return new Original(locales, options)
  })
  const at = new Date('2026-07-01T12:00:00Z')
  const spellings = Array.from({ length: 1_000 }, (_, bits) => respell('Europe/Berlin', bits))
  for (const spelling of spellings) {
    expect(new Date(toLocalMs(at, spelling)).toISOString()).toBe('2026-07-01T14:00:00.000Z')
  }
  const countFormatters = (zone: string | undefined) => formatterZones.filter((one) => one === zone).length
  const later = new Date('2026-07-02T12:00:00Z')
  for (const spelling of [spellings[0], spellings.at(-1)]) toLocalMs(later, spelling ?? '')
  expect(countFormatters(spellings[0]), 'of the first spelling, which was forgotten').toBe(2)
  expect(countFormatters(spellings.at(-1)), 'of the last spelling, which is kept').toBe(1)
  spy.mockRestore()
})
