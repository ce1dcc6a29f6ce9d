import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * Matches a number and a percent sign in a text, with a space between them, but not the operator
 * `%`.
 */
const spacedPercent = /\$\{[^{}`]*\}(?: |\\u00a0|&nbsp;)%|\d(?: |\\u00a0|&nbsp;)%(?=[`'"<²])/
const comment = /^\s*(?:\/\/|\/\*|\*)/

test('texts of the product: write "94.2%" without a space', () => {
  const listedFiles = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'packages'], {
    encoding: 'utf8',
  })
  const sources = listedFiles.split('\n').filter((path) => /\/src\/.*(?<!\.test)\.tsx?$/.test(path) && existsSync(path))
  expect(sources.length).toBeGreaterThan(500)
  const foundLines = sources.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => spacedPercent.test(line) && !comment.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(foundLines).toEqual([])
})
