import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '@tocsin/protocol/durations'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { retainOldAssets } from './retain-old-assets.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-retained-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Writes a build that consists of these files. The content of each file is its name. */
async function writeBuild(...names: string[]): Promise<string> {
  const assets = await mkdtemp(join(folder, 'assets-'))
  for (const name of names) await writeFile(join(assets, name), name)
  return assets
}

const day = new Date('2026-11-23T12:00:00Z')
const afterMs = (ms: number) => new Date(day.getTime() + ms)

test('retainOldAssets: a replaced file stays for a day after its replacement, however old it is', async () => {
  const retained = join(folder, 'retained')
  const [current = '', previous = ''] = await retainOldAssets(await writeBuild('app-1.js', 'react-1.js'), retained, day)
  const second = await writeBuild('app-2.js', 'react-1.js')
  await retainOldAssets(second, retained, afterMs(30 * DAY_MS))
  expect((await readdir(current)).sort()).toEqual(['app-2.js', 'react-1.js'])
  expect(await readFile(join(previous, 'app-1.js'), 'utf8')).toBe('app-1.js')

  await retainOldAssets(second, retained, afterMs(31 * DAY_MS))
  expect(await readdir(previous)).toEqual(['app-1.js'])
  await retainOldAssets(second, retained, afterMs(31 * DAY_MS + 1))
  expect(await readdir(previous)).toEqual([])
})

test('retainOldAssets: an incomplete copy left by a crash is not served and is deleted after a day', async () => {
  const retained = join(folder, 'retained')
  const assets = await writeBuild('app-1.js')
  const [current = '', previous = ''] = await retainOldAssets(assets, retained, day)
  await rm(join(current, 'app-1.js'))
  await writeFile(join(previous, 'app-1.js.1.draft'), 'ap')
  await retainOldAssets(assets, retained, new Date(Date.now() + 2 * DAY_MS))
  expect(await readFile(join(current, 'app-1.js'), 'utf8')).toBe('app-1.js')
  expect(await readdir(previous)).toEqual([])
})
