/** Splits a search text into words in lower case. */
function splitWords(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

/**
 * Returns whether the entry contains every word of the search text. An empty text matches every
 * entry.
 */
export function matchesText(entryText: string, text: string): boolean {
  const lowerCaseEntry = entryText.toLowerCase()
  return splitWords(text).every((word) => lowerCaseEntry.includes(word))
}

export interface TextPart {
  text: string
  isMatch: boolean
}

/** Splits a label into parts that match a word of the search text and parts that do not. */
export function splitMatches(label: string, text: string): TextPart[] {
  const words = splitWords(text)
  if (words.length === 0) return [{ text: label, isMatch: false }]
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Because of the capturing group, the result contains the matches, at odd positions.
  const parts = label.split(new RegExp(`(${escaped.join('|')})`, 'i'))
  return parts.map((part, index) => ({ text: part, isMatch: index % 2 === 1 })).filter((part) => part.text !== '')
}

const groupLimit = 5

interface EntryGroup<Entry> {
  /** True for a group that shows all its entries while the search is empty. */
  showsAllInitially?: boolean
  entries: readonly Entry[]
}

/**
 * Returns the entries that match the text, at most five of each group. Groups that have a label
 * that starts with the text come first, so that Enter opens the entry that was typed.
 */
export function filterEntries<Entry extends { label: string; searchText: string }, Group extends EntryGroup<Entry>>(
  groups: readonly Group[],
  text: string,
): (Group & { entries: Entry[] })[] {
  const typedText = text.trim().toLowerCase()
  const startsWithText = ({ label }: Entry) => typedText !== '' && label.toLowerCase().startsWith(typedText)
  const pickedGroups = groups.flatMap((group) => {
    const foundEntries = group.entries.filter(({ searchText }) => matchesText(searchText, text))
    const entries = group.showsAllInitially && typedText === '' ? foundEntries : foundEntries.slice(0, groupLimit)
    return entries.length === 0 ? [] : [{ ...group, entries }]
  })
  const rank = ({ entries }: Group & { entries: Entry[] }) => (entries.some(startsWithText) ? 0 : 1)
  return pickedGroups.sort((one, other) => rank(one) - rank(other))
}
