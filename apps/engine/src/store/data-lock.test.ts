import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataFolder } from './data-lock.ts'

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('data lock: refuses a second engine until the first has ended', async () => {
  const folder = createTemporaryFolder()
  const lock = await lockDataFolder(folder)
  await expect(lockDataFolder(folder)).rejects.toThrow(`An engine is already running on ${folder}.`)
  await lock.release()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
  await (await lockDataFolder(folder)).release()
})

test('data lock: refuses a folder whose path is too long for a socket', async () => {
  const folder = join(createTemporaryFolder(), 'a'.repeat(90))
  await expect(lockDataFolder(folder)).rejects.toThrow(/^The path of ENGINE_DATA is too long/)
})

test('data lock: accepts a folder with a long path when the folder is the working directory', async () => {
  const folder = join(createTemporaryFolder(), 'a'.repeat(90))
  mkdirSync(folder)
  const script = `const { lockDataFolder } = await import('${new URL('data-lock.ts', import.meta.url)}')
    await lockDataFolder(process.cwd())
    process.exit(5)`
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script]
  const holder = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' })
  expect(await once(holder, 'exit')).toEqual([5, null])
})

test('data lock: is acquired when its previous holder was killed', async () => {
  const folder = createTemporaryFolder()
  const path = join(folder, 'lock')
  const script = 'require("node:net").createServer().listen(process.argv[1], () => console.log("locked"))'
  const holder = spawn(process.execPath, ['-e', script, path])
  await once(holder.stdout, 'data')
  await expect(lockDataFolder(folder)).rejects.toThrow(/already running/)
  const holderExit = once(holder, 'exit')
  holder.kill('SIGKILL')
  await holderExit
  expect(existsSync(path)).toBe(true)
  await (await lockDataFolder(folder)).release()
})

test('data lock: is acquired when the existing lock file is not a socket', async () => {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'lock'), String(process.pid))
  await (await lockDataFolder(folder)).release()
})

test('data lock: is acquired by one of several engines that start together after a crash', async () => {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'lock'), '')
  const lockAttempts = await Promise.allSettled(Array.from({ length: 4 }, () => lockDataFolder(folder)))
  const locks = lockAttempts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  for (const lock of locks) await lock.release()
  expect(locks).toHaveLength(1)
  expect(readdirSync(folder)).toEqual([])
})
