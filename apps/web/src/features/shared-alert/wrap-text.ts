/**
 * Character classes for estimating the width of text in the title font of pictures, because the
 * renderer can't break lines. The estimate is at most a few percent below the real width.
 */
const narrow = /[iIjlftr.,;:'’|!()[\]\s·-]/
const wide = /[mwMW%@×—…+=]/

function getWidth(char: string): number {
  if ((char.codePointAt(0) ?? 0) > 0x24f) return 1
  if (narrow.test(char)) return 0.28
  if (wide.test(char)) return 0.74
  return /[A-Z]/.test(char) ? 0.57 : 0.48
}

export function estimateWidth(text: string, sizePx: number): number {
  return [...text].reduce((sum, char) => sum + getWidth(char) * sizePx, 0)
}

interface Box {
  sizePx: number
  widthPx: number
  maxLines: number
}

/** Breaks a text into lines, at spaces where possible. A text that is too long ends in "…". */
export function wrapText(text: string, { sizePx, widthPx, maxLines }: Box): string[] {
  const lines: string[] = []
  let line = ''
  const fits = (words: string) => estimateWidth(words, sizePx) <= widthPx
  const words = text.trim().split(/\s+/)
  for (const word of words.flatMap((each) => (fits(each) ? [each] : splitWord(each, fits)))) {
    const longer = line === '' ? word : `${line} ${word}`
    if (fits(longer)) {
      line = longer
      continue
    }
    lines.push(line)
    line = word
  }
  lines.push(line)
  if (lines.length <= maxLines) return lines
  const last = [...(lines[maxLines - 1] ?? '')]
  while (last.length > 0 && !fits(`${last.join('')}…`)) last.pop()
  return [...lines.slice(0, maxLines - 1), `${last.join('').trimEnd()}…`]
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
