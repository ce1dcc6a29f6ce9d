/**
 * Character classes for estimating the width of text in the title font of pictures, because the
 * renderer can't break lines. The estimate is at most a few percent below the real width.
 */
const narrowChars = /[iIjlftr.,;:'’|!()[\]\s·-]/
const wideChars = /[mwMW%@×—…+=]/

function getWidth(char: string): number {
  if ((char.codePointAt(0) ?? 0) > 0x24f) return 1
  if (narrowChars.test(char)) return 0.28
  if (wideChars.test(char)) return 0.74
  return /[A-Z]/.test(char) ? 0.57 : 0.48
}

export function estimateWidth(text: string, sizePx: number): number {
  return [...text].reduce((sum, char) => sum + getWidth(char) * sizePx, 0)
}

interface TextBox {
  sizePx: number
  widthPx: number
  maxLines: number
}

/** Breaks a text into lines, at spaces where possible. A text that is too long ends in "…". */
export function wrapText(text: string, { sizePx, widthPx, maxLines }: TextBox): string[] {
  const lines: string[] = []
  let line = ''
  const fits = (words: string) => estimateWidth(words, sizePx) <= widthPx
  const words = text.trim().split(/\s+/)
  for (const word of words.flatMap((each) => (fits(each) ? [each] : splitWord(each, fits)))) {
    const longerLine = line === '' ? word : `${line} ${word}`
    if (fits(longerLine)) {
      line = longerLine
      continue
    }
    lines.push(line)
    line = word
  }
  lines.push(line)
  if (lines.length <= maxLines) return lines
  const lastChars = [...(lines[maxLines - 1] ?? '')]
  while (lastChars.length > 0 && !fits(`${lastChars.join('')}…`)) lastChars.pop()
  return [...lines.slice(0, maxLines - 1), `${lastChars.join('').trimEnd()}…`]
}

/** Splits words that are wider than a line. */
function splitWord(word: string, fits: (text: string) => boolean): string[] {
  const foundWords: string[] = []
  let piece = ''
  for (const char of word) {
    if (!fits(piece + char)) {
      foundWords.push(piece)
      piece = ''
    }
    piece += char
  }
  return [...foundWords, piece]
}
