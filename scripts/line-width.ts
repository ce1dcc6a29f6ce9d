import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { RunResult } from './run.ts'

const COMMENT_COLUMNS = 100
const PROSE_COLUMNS = 120
const commentPattern = /^\s*(?:\/\/(?! biome-ignore)|\/\*|\*\s)/

/** Matches lines that cannot be wrapped: tables, and lines of a single span of inline code. */
const unwrappableLine = /^\s*(?:\||`[^`]*`[.:]?$)/

/** Finds comments and Markdown prose that exceed the maximum line width. */
export function findWideLines(): RunResult {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  const isChecked = (path: string) => /\.(md|[cm]?[jt]sx?|css)$/.test(path) && existsSync(path)
  const wideLineReports = files.filter(isChecked).flatMap((path) => findWideLinesIn(path, readFileSync(path, 'utf8')))
  return { code: wideLineReports.length, output: [...wideLineReports, ''].join('\n') }
}

/**
 * Returns a message for each line of a source's comments, or of a Markdown file's prose, that is
 * too wide.
 */
export function findWideLinesIn(path: string, text: string): string[] {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }))
  const isMarkdown = path.endsWith('.md')
  const columns = isMarkdown ? PROSE_COLUMNS : COMMENT_COLUMNS
  const checkedLines = isMarkdown ? getProse(lines) : lines.filter(({ line }) => commentPattern.test(line))
  return checkedLines.flatMap(({ line, number }) =>
    line.length > columns ? [`${path}:${number} has ${line.length} columns, more than ${columns}`] : [],
  )
}

/** Excludes tables, code blocks and lines that consist of a single span of inline code. */
function getProse<L extends { line: string }>(lines: L[]): L[] {
  let isCode = false
  return lines.filter(({ line }) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    return !isCode && !unwrappableLine.test(line)
  })
}
