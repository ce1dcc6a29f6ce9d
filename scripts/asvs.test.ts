import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const [applicable = ''] = readFileSync(join(root, 'docs/asvs.md'), 'utf8').split('## Not applicable')
const rows = applicable.split('\n').flatMap((line) => {
  const [, number = '', , how = '', files = ''] = line.split('|').map((cell) => cell.trim())
  return /^\d+\.\d+\.\d+$/.test(number) ? [{ number, how, files: files.match(/(?<=`)[^`, ]+(?=`)/g) ?? [] }] : []
})

test('docs/asvs.md: names existing files for every met requirement, and each requirement once', () => {
  expect(rows.length).toBeGreaterThan(150)
  expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length)
  const metRows = rows.filter(({ how }) => !how.startsWith('**Not met.**'))
  expect(metRows.filter(({ files }) => files.length === 0)).toEqual([])
  expect(metRows.flatMap(({ files }) => files).filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test.each(['6.3.3', '7.5.1', '12.3.1', '12.3.2', '12.3.3', '12.3.4', '15.1.2', '16.3.1', '16.3.2', '16.3.3', '16.3.4'])(
  'docs/asvs.md: requirement %s is listed as met',
  (number) => {
    expect(rows.find((row) => row.number === number)?.how).not.toMatch(/^(\*\*Not met|$)/)
  },
)

test('docs/asvs.md: the server starts no process, as requirement 1.2.5 states', () => {
  const folder = join(root, 'apps/server/src')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test)\.ts$/.test(path),
  )
  expect(sources.length).toBeGreaterThan(300)
  const spawningSources = sources.filter((path) => readFileSync(join(folder, path), 'utf8').includes('child_process'))
  expect(spawningSources).toEqual([])
})
