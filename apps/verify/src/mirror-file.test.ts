import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMirror } from './mirror-file.ts'

const trust = {
  domain: { chainId: 31337, verifyingContract: `0x${'22'.repeat(20)}` as const },
  firstSigner: `0x${'33'.repeat(20)}` as const,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-mirror-'))
})
afterAll(() => rm(folder, { recursive: true }))

const entry = (index: number) => ({ index, leafHash: `0x${'44'.repeat(32)}` as const, bytes: null, signature: null })

test('mirror: two runs that overlap do not change each other’s file', async () => {
  const path = join(folder, 'mirror')
  const readIndexes = async () => {
    const [, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line).index)
  }
  const first = await openMirror(path, trust)
  await first.add([entry(0), entry(1)])
  const second = await openMirror(path, trust)
  await second.add([entry(0)])
  await first.add([entry(2)])
  await first.keep()
  await first.close()
  expect(await readIndexes()).toEqual([0, 1, 2])
  await second.add([entry(1), entry(2), entry(3)])
  expect(await readIndexes()).toEqual([0, 1, 2])
  await second.keep()
  await second.close()
  expect(await readIndexes()).toEqual([0, 1, 2, 3])
  expect(await readdir(folder)).toEqual(['mirror'])
})
