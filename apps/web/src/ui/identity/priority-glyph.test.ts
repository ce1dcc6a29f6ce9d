import { readFileSync } from 'node:fs'
import { priorities } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { priorityStyles } from './priority-glyph.tsx'

/** The range of OKLCH hues that each priority must be in. */
const hueRanges = { critical: [10, 35], high: [40, 65], medium: [85, 110], low: [130, 160] } as const
const styles = readFileSync(new URL('../../styles.css', import.meta.url), 'utf8')

test('priority colors: critical is red, high orange, medium yellow and low green, in both themes', () => {
  for (const priority of priorities) {
    expect(priorityStyles[priority].text).toBe(`text-${priority}`)
    const colorMatches = [
      ...styles.matchAll(new RegExp(`--color-${priority}: oklch\\([\\d.]+ [\\d.]+ ([\\d.]+)\\)`, 'g')),
    ]
    expect(colorMatches).toHaveLength(2)
    const [from, to] = hueRanges[priority]
    for (const [, hue] of colorMatches)
      expect(from <= Number(hue) && Number(hue) <= to, `${priority} ${hue}`).toBe(true)
  }
})
