import { describe, expect, test } from 'vitest'
import { matchesText, splitMatches } from './palette-match.ts'

describe('matchesText', () => {
  test.each([
    ['Go to settings', 'sett', true],
    ['Critical ETH/USDT Price move #2,488', 'eth critical', true],
    ['Critical ETH/USDT Price move #2,488', 'eth low', false],
    ['ETH/USDT', '  ', true],
    ['ETH/USDT', '.*', false],
  ])('"%s" with the text "%s" is %s', (entry, text, expected) => {
    expect(matchesText(entry, text)).toBe(expected)
  })
})

describe('splitMatches', () => {
  const marked = (label: string, text: string) =>
    splitMatches(label, text)
      .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
      .join('')

  test.each([
    ['ETH/USDT', '', 'ETH/USDT'],
    ['ETH/USDT', 'eth', '[ETH]/USDT'],
    ['Open the market', 'the mar', 'Open [the] [mar]ket'],
    ['a (b)', '(', 'a [(]b)'],
  ])('marks "%s" for the text "%s" as "%s"', (label, text, expected) => {
    expect(marked(label, text)).toBe(expected)
  })
})
