import { describe, expect, test } from 'vitest'
import { estimateWidth, wrapText } from './wrap-text.ts'

const textBox = { sizePx: 50, widthPx: 700, maxLines: 3 }

describe('wrapText', () => {
  test.each([
    ['a short text', 'Price fell 1.2%', 1],
    ['a sentence', 'Price fell 1.2% in 4 min on 5.3× usual volume; largest since 3 May', 2],
    ['a text without spaces', '1234567890'.repeat(12), 3],
    ['wide letters', 'MW'.repeat(100), 3],
    ['letters of other scripts', '漢字'.repeat(100), 3],
    ['nothing', '', 1],
  ])('breaks %s into lines that fit', (_name, text, lines) => {
    const wrappedLines = wrapText(text, textBox)
    expect(wrappedLines).toHaveLength(lines)
    for (const line of wrappedLines) expect(estimateWidth(line, textBox.sizePx)).toBeLessThanOrEqual(textBox.widthPx)
  })

  test('keeps all words of a text that fits, and ends a longer text with an ellipsis', () => {
    const text = 'one two three '.repeat(8).trim()
    expect(wrapText(text, { ...textBox, maxLines: 9 }).join(' ')).toBe(text)
    expect(wrapText(text, { ...textBox, maxLines: 1 })).toEqual([expect.stringMatching(/^one two three .*…$/)])
  })
})
