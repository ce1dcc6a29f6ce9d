import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMirror } from './mirror-file.ts'

const trustAnchors = {
  domain: { chainId: 31337, verifyingContract: `0x${'22'.repeat(20)}` as const },
  firstSigner: `0x${'33'.repeat(20)}` as const,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-mirror-'))
})
afterAll(() => rm(folder, { recursive: true }))

const createEntry = (index: number) => ({
  index,
  leafHash: `0x${'44'.repeat(32)}` as const,
  bytes: null,
  signature: null,
})

test('mirror: two runs that overlap do not change each other’s file', async () => {
  const path = join(folder, 'mirror')
  const readIndexes = async () => {
    const [, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line).index)
  }
  const first = await openMirror(path, trustAnchors)
  await first.add([createEntry(0), createEntry(1)])
  const secondMirror = await openMirror(path, trustAnchors)
  await secondMirror.add([createEntry(0)])
  await first.add([createEntry(2)])
  await first.keep()
  await first.close()
  expect(await readIndexes()).toEqual([0, 1, 2])
  await secondMirror.add([createEntry(1), createEntry(2), createEntry(3)])
  expect(await readIndexes()).toEqual([0, 1, 2])
  await secondMirror.keep()
  await secondMirror.close()
  expect(await readIndexes()).toEqual([0, 1, 2, 3])
  expect(await readdir(folder)).toEqual(['mirror'])
})
