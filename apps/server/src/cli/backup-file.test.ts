import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readBackup, writeBackup } from './backup-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tocsin-backup-file-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

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
  async function* quickLines() {
    yield 'only line of the quick backup'
  }
  const slowBackup = writeBackup(path, slowLines(), null)
  await expect.poll(() => readdirSync(folder)).toEqual(['backup.part'])
  await writeBackup(path, quickLines(), null)
  releaseSlowLines()
  await expect(slowBackup).rejects.toThrow('Another backup writes')
  expect(readdirSync(folder)).toEqual(['backup'])
  const lines: string[] = []
  for await (const line of readBackup(path, null)) lines.push(line)
  expect(lines).toEqual(['only line of the quick backup'])
})
