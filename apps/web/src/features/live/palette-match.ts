/** The words of a search text, in lower case. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

/** True if the entry contains every word of the search text. No text matches every entry. */
export function matchesText(entry: string, text: string): boolean {
  const inLowerCase = entry.toLowerCase()
  return wordsOf(text).every((word) => inLowerCase.includes(word))
}

export interface TextPart {
  text: string
  isMatch: boolean
}

/** Splits a label into parts that match a word of the search text and parts that do not. */
export function splitMatches(label: string, text: string): TextPart[] {
  const words = wordsOf(text)
  if (words.length === 0) return [{ text: label, isMatch: false }]
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // A capturing group keeps the matches in the result, at odd positions.
  const parts = label.split(new RegExp(`(${escaped.join('|')})`, 'i'))
  return parts.map((part, at) => ({ text: part, isMatch: at % 2 === 1 })).filter((part) => part.text !== '')
}

const perGroup = 5

interface Found<Entry> {
  /** Nothing is left out of a long group while the search is empty. */
  isLong?: boolean
  entries: readonly Entry[]
}

/**
 * The entries that match the text, at most five a group. A group with a label that starts with the
 * text comes first, so that Enter opens what was typed.
 */
export function pickEntries<Entry extends { label: string; words: string }, Group extends Found<Entry>>(
  groups: readonly Group[],
  text: string,
): (Group & { entries: Entry[] })[] {
  const typed = text.trim().toLowerCase()
  const starts = ({ label }: Entry) => typed !== '' && label.toLowerCase().startsWith(typed)
  const picked = groups.flatMap((group) => {
    const found = group.entries.filter(({ words }) => matchesText(words, text))
    const entries = group.isLong && typed === '' ? found : found.slice(0, perGroup)
    return entries.length === 0 ? [] : [{ ...group, entries }]
  })
  const rank = ({ entries }: Group & { entries: Entry[] }) => (entries.some(starts) ? 0 : 1)
  return picked.sort((one, other) => rank(one) - rank(other))
}
