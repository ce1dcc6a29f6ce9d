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
