import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '@tocsin/protocol/durations'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { retainOldAssets } from './retain-old-assets.ts'

let folder: string
let failures: unknown[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-retained-'))
  failures = []
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
  expect(failures).toEqual([])
})

/** Writes a build that consists of these files. The content of each file is its name. */
async function writeBuild(...names: string[]): Promise<string> {
  const assets = await mkdtemp(join(folder, 'assets-'))
  for (const name of names) await writeFile(join(assets, name), name)
  return assets
}

const retain = (assets: string, retained: string, now: Date) =>
  retainOldAssets(assets, retained, now, (error) => failures.push(error))

const day = new Date('2026-11-23T12:00:00Z')
const afterMs = (ms: number) => new Date(day.getTime() + ms)

test('retainOldAssets: a replaced file stays for a day after its replacement, however old it is', async () => {
  const retained = join(folder, 'retained')
  const [current = '', previous = ''] = await retain(await writeBuild('app-1.js', 'react-1.js'), retained, day)
  const second = await writeBuild('app-2.js', 'react-1.js')
  await retain(second, retained, afterMs(30 * DAY_MS))
  expect((await readdir(current)).sort()).toEqual(['app-2.js', 'react-1.js'])
  expect(await readFile(join(previous, 'app-1.js'), 'utf8')).toBe('app-1.js')

  await retain(second, retained, afterMs(31 * DAY_MS))
  expect(await readdir(previous)).toEqual(['app-1.js'])
  await retain(second, retained, afterMs(31 * DAY_MS + 1))
  expect(await readdir(previous)).toEqual([])
})

test('retainOldAssets: an incomplete copy left by a crash is not served and is deleted after a day', async () => {
  const retained = join(folder, 'retained')
  const assets = await writeBuild('app-1.js')
  const [current = '', previous = ''] = await retain(assets, retained, day)
  await rm(join(current, 'app-1.js'))
  await writeFile(join(previous, 'app-1.js.1.draft'), 'ap')
  await retain(assets, retained, new Date(Date.now() + 2 * DAY_MS))
  expect(await readFile(join(current, 'app-1.js'), 'utf8')).toBe('app-1.js')
  expect(await readdir(previous)).toEqual([])
})

test('retainOldAssets: keeps all files when several instances with the same folder start at the same time', async () => {
  const retained = join(folder, 'retained')
  const createNames = (build: number) => Array.from({ length: 20 }, (_, index) => `page${index}-${build}.js`).sort()
  await retain(await writeBuild(...createNames(1)), retained, day)
  const assets = await writeBuild(...createNames(2))
  const results = await Promise.all([1, 2, 3].map(() => retain(assets, retained, afterMs(DAY_MS))))
  for (const [current = '', previous = ''] of results) {
    expect((await readdir(current)).sort()).toEqual(createNames(2))
    expect((await readdir(previous)).sort()).toEqual(createNames(1))
  }
})

test('retainOldAssets: returns both folders when a file cannot be copied', async () => {
  const retained = join(folder, 'retained')
  const folders = await retain(await writeBuild('app-1.js'), retained, day)
  expect(await retain(join(folder, 'missing'), retained, day)).toEqual(folders)
  expect(failures.splice(0)).toEqual([expect.objectContaining({ code: 'ENOENT' })])
})
