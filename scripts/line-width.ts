import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Outcome } from './run.ts'

const COMMENT_COLUMNS = 100
const PROSE_COLUMNS = 120
const comment = /^\s*(?:\/\/(?! biome-ignore)|\/\*|\*\s)/

/** Finds comments and Markdown prose that exceed the maximum line width. */
export function findWideLines(): Outcome {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  const found = files.filter(existsSync).flatMap((path) => {
    if (path.endsWith('.md')) return wideLines(path, proseOf(path), PROSE_COLUMNS)
    return /\.([cm]?[jt]sx?|css)$/.test(path) ? wideLines(path, commentsOf(path), COMMENT_COLUMNS) : []
  })
  return { code: found.length, output: [...found, ''].join('\n') }
}

type Line = { text: string; number: number }

function wideLines(path: string, lines: Line[], columns: number): string[] {
  const wide = lines.filter(({ text }) => text.length > columns)
  return wide.map(({ text, number }) => `${path}:${number} has ${text.length} columns, more than ${columns}`)
}

function linesOf(path: string): Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((text, index) => ({ text, number: index + 1 }))
}

function commentsOf(path: string): Line[] {
  return linesOf(path).filter(({ text }) => comment.test(text))
}

/** Excludes tables, code blocks and lines that begin with inline code, which cannot be wrapped. */
function proseOf(path: string): Line[] {
  let isCode = false
  return linesOf(path).filter(({ text }) => {
    if (/^\s*```/.test(text)) isCode = !isCode
    return !isCode && !/^\s*[|`]/.test(text)
  })
}
