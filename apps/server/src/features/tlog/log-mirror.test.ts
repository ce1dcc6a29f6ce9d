import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogEntry } from '@tocsin/proof'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MirrorHeader, withMirror, writeMirror } from './log-mirror.ts'

const header: MirrorHeader = {
  chainId: 43114,
  contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  firstSigner: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
}
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tocsin-log-mirror-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function* noEntries(): AsyncGenerator<LogEntry> {}

test('writeMirror: replaces the incomplete file of a run that was killed', async () => {
  const path = join(folder, 'archive')
  writeFileSync(`${path}.part`, 'incomplete')
  await writeMirror(path, header, noEntries())
  expect(readdirSync(folder)).toEqual(['archive'])
  expect(await withMirror(path, async (mirror) => mirror.header)).toMatchObject(header)
})

test('writeMirror: leaves no file when the entries cannot be read', async () => {
  const unreadable: AsyncIterable<LogEntry> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('The database does not respond')) }),
  }
  await expect(writeMirror(join(folder, 'archive'), header, unreadable)).rejects.toThrow('The database')
  expect(readdirSync(folder)).toEqual([])
})
