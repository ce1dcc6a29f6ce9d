import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBreachedPasswords } from './breached-passwords.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'breached-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const formatLine = (password: string, count: number) =>
  `${createHash('sha1').update(password).digest('hex').toUpperCase()}:${count}`

test('openBreachedPasswords: rejects a missing file and one in another format, and names the setting', async () => {
  await expect(openBreachedPasswords(join(folder, 'missing'))).rejects.toThrow('BREACHED_PASSWORDS cannot be read')
  for (const text of ['', 'password123\n', 'ABCDEF:1\n']) {
    await expect(openBreachedPasswords(await write('other', text))).rejects.toThrow('BREACHED_PASSWORDS is not a list')
  }
})

test('openBreachedPasswords: finds no password when no list is configured', async () => {
  expect(await (await openBreachedPasswords(null))('password')).toBe(false)
})

test.each([
  ['\n', 1],
  ['\n', 2],
  ['\r\n', 500],
])('openBreachedPasswords: finds only the passwords of a list with line ends %j and %i lines', async (end, size) => {
  const passwords = Array.from({ length: size }, (_, index) => `breached ${index}`)
  const lines = passwords.map((password, index) => formatLine(password, 10 ** (index % 8))).sort()
  for (const text of [lines.join(end) + end, lines.join(end)]) {
    const isBreached = await openBreachedPasswords(await write('list', text))
    for (const password of passwords) expect(await isBreached(password), password).toBe(true)
    for (let index = 0; index < 200; index++) expect(await isBreached(`other ${index}`), `other ${index}`).toBe(false)
  }
})
