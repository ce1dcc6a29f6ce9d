import { describe, expect, test } from 'vitest'
import { filterEntries, matchesText, splitMatches } from './palette-match.ts'

describe('matchesText', () => {
  test.each([
    ['Go to settings', 'sett', true],
    ['Critical ETH/USDT Price move #2,488', 'eth critical', true],
    ['Critical ETH/USDT Price move #2,488', 'eth low', false],
    ['ETH/USDT', '  ', true],
    ['ETH/USDT', '.*', false],
  ])('for the entry "%s" and the search text "%s", returns %s', (entry, text, expected) => {
    expect(matchesText(entry, text)).toBe(expected)
  })
})

describe('splitMatches', () => {
  const markMatches = (label: string, text: string) =>
    splitMatches(label, text)
      .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
      .join('')

  test.each([
    ['ETH/USDT', '', 'ETH/USDT'],
    ['ETH/USDT', 'eth', '[ETH]/USDT'],
    ['Open the market', 'the mar', 'Open [the] [mar]ket'],
    ['a (b)', '(', 'a [(]b)'],
  ])('marks "%s" for the text "%s" as "%s"', (label, text, expected) => {
    expect(markMatches(label, text)).toBe(expected)
  })
})

describe('filterEntries', () => {
  const createGroup = (heading: string, labels: string[], showsAllInitially = false) => ({
    heading,
    showsAllInitially,
    entries: labels.map((label) => ({ label, searchText: `${label} ${heading}` })),
  })
  const assets = createGroup('Assets', ['ETH/USDT', 'SETH/USDT', 'ETH/BTC', 'ETHFI/USDT', 'METH/USDT', 'WETH/USDT'])
  const pages = createGroup(
    'Pages',
    ['Dashboard', 'Notifications', 'History', 'Verification', 'Settings', 'Home'],
    true,
  )
  const pickLabels = (text: string) =>
    filterEntries([assets, pages], text).map(({ heading, entries }) => [heading, ...entries.map(({ label }) => label)])

  test('returns up to five entries of a group, or all if showsAllInitially is true, when the search is empty', () => {
    expect(pickLabels(' ').map(([heading, ...labels]) => [heading, labels.length])).toEqual([
      ['Assets', 5],
      ['Pages', 6],
    ])
  })
  test('returns only matching entries, and omits groups without a match', () => {
    expect(pickLabels('seth')).toEqual([['Assets', 'SETH/USDT']])
    expect(pickLabels('no such')).toEqual([])
  })
  test('sorts groups with an entry label that starts with the search text before other groups', () => {
    expect(pickLabels('set').map(([heading]) => heading)).toEqual(['Assets', 'Pages'])
    expect(pickLabels('sett').map(([heading]) => heading)).toEqual(['Pages'])
    expect(pickLabels('h').map(([heading]) => heading)).toEqual(['Pages', 'Assets'])
    expect(pickLabels('s')[0]?.[0]).toBe('Assets')
    expect(pickLabels('not')).toEqual([['Pages', 'Notifications']])
  })
})
