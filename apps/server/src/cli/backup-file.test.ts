import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readBackup, writeBackup } from './backup-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tocsin-backup-file-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function* streamLines(...lines: string[]) {
  yield* lines
}

async function readLines(path: string, passphrase: string | null = null): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readBackup(path, passphrase)) lines.push(line)
  return lines
}

test('writeBackup: rejects when another backup writes the same file, and keeps that backup complete', async () => {
  const path = join(folder, 'backup')
  let releaseSlowLines = () => {}
  const slowLinesReleased = new Promise<void>((resolve) => {
    releaseSlowLines = resolve
  })
  async function* slowLines() {
    yield 'first of the slow backup'
    await slowLinesReleased
    yield 'last of the slow backup'
  }
  const slowBackup = writeBackup(path, slowLines(), null)
  await expect.poll(() => readdirSync(folder)).toEqual(['backup.part'])
  await writeBackup(path, streamLines('only line of the quick backup'), null)
  releaseSlowLines()
  await expect(slowBackup).rejects.toThrow('Another backup writes')
  expect(readdirSync(folder)).toEqual(['backup'])
  expect(await readLines(path)).toEqual(['only line of the quick backup'])
})

test('writeBackup: does not use the unverified file of another backup when that replaced its own during the check', async () => {
  const path = join(folder, 'backup')
  const writeUnverified = () =>
    writeBackup(path, streamLines('damaged'), null, () => Promise.reject(new Error('The log is damaged')))
  const firstBackup = writeBackup(path, streamLines('verified'), null, () =>
    expect(writeUnverified()).rejects.toThrow('The log is damaged'),
  )
  await expect(firstBackup).rejects.toThrow('Another backup writes')
  expect(readdirSync(folder)).toEqual(['backup.unverified'])
  expect(await readLines(`${path}.unverified`)).toEqual(['damaged'])
})

test('writeBackup: keeps a file that was created under its name during the check', async () => {
  const path = join(folder, 'backup')
  const backup = writeBackup(path, streamLines('line'), null, async () => writeFileSync(path, 'precious'))
  await expect(backup).rejects.toThrow(`${path} already exists. The backup is kept as ${path}.unverified.`)
  expect(readFileSync(path, 'utf8')).toBe('precious')
  expect(await readLines(`${path}.unverified`)).toEqual(['line'])
})

test('readBackup: reports that a backup is truncated when its encrypted content is missing', async () => {
  const path = join(folder, 'backup')
  await writeBackup(path, streamLines('line'), 'a passphrase')
  const HEADER_AND_TAG_BYTES = 'TOCSIN-BACKUP-ENCRYPTED-1\n'.length + 16 + 12 + 16
  truncateSync(path, HEADER_AND_TAG_BYTES)
  await expect(readLines(path, 'a passphrase')).rejects.toThrow('The backup is truncated.')
})
