import type { Candle } from './candles.ts'

/** A list of candles in a JSON text: its position and its candles. */
export interface CandleText {
  /** Position of the opening bracket. */
  from: number
  /** Position after the closing bracket. */
  until: number
  candles: Candle[]
}

// Codes of the characters that a list of candles consists of.
const quoteCode = 0x22
const commaCode = 0x2c
const pointCode = 0x2e
const zeroCode = 0x30
const nineCode = 0x39
const openBracketCode = 0x5b
const closeBracketCode = 0x5d
/** Maximum number of digits before the decimal point, and also after it. */
const maxDigits = 18
/** Maximum number of digits of an open time. A `number` stores integers of this length exactly. */
const maxTimeDigits = 15

/**
 * Reads the list with this key from the text of a JSON document, several times faster than
 * JSON.parse and with the same result. Returns null if the key does not occur exactly once, or if
 * the list differs from the output of JSON.stringify for candles with decimal values. Callers then
 * parse the whole document.
 */
export function readCandleText(text: string, key: string): CandleText | null {
  const name = `"${key}"`
  const at = text.indexOf(name)
  // The key must follow a brace or comma. After a backslash, its opening quote would be part of a
  // longer string.
  const previousCharacter = text[at - 1]
  if ((previousCharacter !== '{' && previousCharacter !== ',') || !text.startsWith(':[', at + name.length)) return null
  const from = at + name.length + 1
  const candles: Candle[] = []
  let position = from
  do {
    const candle = readCandle(text, position + 1)
    if (!candle) return null
    candles.push(candle.row)
    position = candle.until
  } while (text.charCodeAt(position) === commaCode)
  if (text.charCodeAt(position) !== closeBracketCode || text.includes(name, position)) return null
  return { from, until: position + 1, candles }
}

/**
 * Reads a candle. Written without a loop, which would be slower: a long record has millions of
 * candles.
 * @param from position of the opening bracket
 */
function readCandle(text: string, from: number): { row: Candle; until: number } | null {
  if (text.charCodeAt(from) !== openBracketCode) return null
  const start = from + 1
  const openTimeEnd = skipDigits(text, start)
  if (openTimeEnd === start || openTimeEnd - start > maxTimeDigits || text.charCodeAt(start) === zeroCode) return null
  const openEnd = skipQuotedDecimal(text, openTimeEnd)
  const highEnd = skipQuotedDecimal(text, openEnd)
  const lowEnd = skipQuotedDecimal(text, highEnd)
  const closeEnd = skipQuotedDecimal(text, lowEnd)
  const end = skipQuotedDecimal(text, closeEnd)
  if (end === -1 || text.charCodeAt(end) !== closeBracketCode) return null
  const row: Candle = [
    Number(text.slice(start, openTimeEnd)),
    text.slice(openTimeEnd + 2, openEnd - 1),
    text.slice(openEnd + 2, highEnd - 1),
    text.slice(highEnd + 2, lowEnd - 1),
    text.slice(lowEnd + 2, closeEnd - 1),
    text.slice(closeEnd + 2, end - 1),
  ]
  return { row, until: end + 1 }
}

/** Position after a comma and a decimal in quotes, or -1 if the text is something else. */
function skipQuotedDecimal(text: string, from: number): number {
  if (from === -1 || text.charCodeAt(from) !== commaCode || text.charCodeAt(from + 1) !== quoteCode) return -1
  const end = skipDecimal(text, from + 2)
  return end === -1 || text.charCodeAt(end) !== quoteCode ? -1 : end + 1
}

/**
 * Position after the decimal (see isDecimal) that begins at `from`, or -1 if the text there is not
 * one.
 */
function skipDecimal(text: string, from: number): number {
  const wholeEnd = skipDigits(text, from)
  const digits = wholeEnd - from
  if (digits === 0 || digits > maxDigits || (digits > 1 && text.charCodeAt(from) === zeroCode)) return -1
  if (text.charCodeAt(wholeEnd) !== pointCode) return wholeEnd
  const end = skipDigits(text, wholeEnd + 1)
  const decimals = end - wholeEnd - 1
  return decimals === 0 || decimals > maxDigits ? -1 : end
}

function skipDigits(text: string, from: number): number {
  let position = from
  for (;;) {
    const code = text.charCodeAt(position)
    if (!(code >= zeroCode && code <= nineCode)) return position
    position += 1
  }
}
