import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { packFolder } from './release/pack.ts'
import { listLicences, makeReproducible, type Sbom } from './release/sbom.ts'
import { checkRelease, getVerifierKey, SUMS_FILE_NAME, signSums } from './release/sums.ts'

const dir = mkdtempSync(join(tmpdir(), 'tocsin-release-test-'))
afterAll(() => rmSync(dir, { recursive: true }))

function createFolder(name: string, files: Record<string, string>): string {
  const folder = join(dir, name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

test('release: equal files give an equal archive, independent of modification times and write order', async () => {
  const time = new Date('2026-03-02T14:00:00Z')
  const first = createFolder('first', { a: '1', b: '2' })
  const secondFolder = createFolder('second', { b: '2', a: '1' })
  utimesSync(join(secondFolder, 'a'), 1, 1)
  const sums: string[] = []
  for (const folder of [first, secondFolder]) {
    await packFolder(folder, `${folder}.tar.gz`, time)
    sums.push(
      createHash('sha256')
        .update(readFileSync(`${folder}.tar.gz`))
        .digest('hex'),
    )
  }
  expect(sums[0]).toBe(sums[1])
})

test('release: the check of the signed checksums fails with another key, or when a file is changed or missing', () => {
  const folder = createFolder('signed', { 'tocsin-1.0.0.tar.gz': 'archive', 'tocsin-1.0.0.cdx.json': '{}' })
  const seed = new Uint8Array(32).fill(7)
  writeFileSync(join(folder, SUMS_FILE_NAME), signSums(folder, seed))
  const key = getVerifierKey(seed)
  expect(() => checkRelease(folder, getVerifierKey(new Uint8Array(32).fill(8)))).toThrow('not signed by a known key')
  expect(checkRelease(folder, key)).toEqual(['tocsin-1.0.0.cdx.json', 'tocsin-1.0.0.tar.gz'])
  writeFileSync(join(folder, 'tocsin-1.0.0.tar.gz'), 'other')
  expect(() => checkRelease(folder, key)).toThrow('tocsin-1.0.0.tar.gz is not the file that was signed')
  rmSync(join(folder, 'tocsin-1.0.0.tar.gz'))
  expect(() => checkRelease(folder, key)).toThrow('tocsin-1.0.0.tar.gz')
})

test('release: the SBOM contains no random number and no build time, and names the licence of each package', () => {
  const createSbom = (serialNumber: string, timestamp: string): Sbom => ({
    serialNumber,
    metadata: { timestamp, tools: [] },
    components: [
      { name: 'b', version: '2.0.0', licenses: [{ license: { id: 'MIT' } }] },
      { name: 'a', version: '1.0.0' },
      { name: 'b', version: '2.0.0', licenses: [{ expression: 'MIT' }] },
    ],
  })
  const releasedAt = new Date('2026-03-02T14:00:00Z')
  const fixedSbom = makeReproducible(createSbom('urn:uuid:1', '2026-01-01T00:00:00Z'), releasedAt)
  expect(fixedSbom).toEqual(makeReproducible(createSbom('urn:uuid:2', '2027-01-01T00:00:00Z'), releasedAt))
  expect(fixedSbom.metadata).toEqual({ timestamp: releasedAt.toISOString(), tools: [] })
  expect(makeReproducible(createSbom('urn:uuid:1', '2026-01-01T00:00:00Z'), null).metadata).toEqual({ tools: [] })
  expect(fixedSbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  expect(listLicences(fixedSbom)).toBe('a 1.0.0: not stated\nb 2.0.0: MIT\n')
})

test('release: the SBOM covers the server, the engine and the site', () => {
  const sbom = execFileSync(process.execPath, ['--import', 'tsx', 'scripts/write-sbom.ts'], { encoding: 'utf8' })
  const names = (JSON.parse(sbom) as Sbom).components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['server', 'engine', 'web']))
})

test('release: the guide keeps the key in the home folder, and git ignores a key or signed checksums in the checkout', () => {
  const keys = [...readFileSync('docs/operating.md', 'utf8').matchAll(/npm run release -- --(?:sign|new-key) (\S+?)`/g)]
  expect(keys.map(([, key]) => key)).toEqual(['~/release.key', '~/release.key'])
  const runGit = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  const createdFiles = ['release.key', 'release/SHA256SUMS.note']
  expect(runGit('check-ignore', '--no-index', '--non-matching', '--verbose', ...createdFiles)).toEqual([
    expect.stringMatching(/^\.gitignore:\d+:\/\*\.key\t/),
    expect.stringMatching(/^\.gitignore:\d+:\/release\/\t/),
  ])
  expect(runGit('ls-files', '--cached', '--ignored', '--exclude-standard')).toEqual([])
})
