import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataDir } from './data-lock.ts'
import { identifyProcess } from './process-identity.ts'

const modulePath = new URL('data-lock.ts', import.meta.url).href
let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tocsin-lock-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/**
 * Starts a process that tries to acquire the lock, prints "locked" or the error, and keeps the lock
 * until it is killed.
 */
async function startContender(): Promise<{ said: string; pid: number; kill(): Promise<void> }> {
  const program = `const { lockDataDir } = await import(${JSON.stringify(modulePath)})
    await lockDataDir(${JSON.stringify(dir)}).then(() => console.log('locked'), (error) => console.log(error.message))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const said = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  return { said, pid: child.pid ?? 0, kill }
}

test('lockDataDir: the error names the folder and the holder when another process holds the lock', async () => {
  const first = await startContender()
  expect(first.said).toBe('locked')
  await expect(lockDataDir(dir)).rejects.toThrow(
    `Tocsin is already running on ${dir} (process ${first.pid}). Stop it first, or set DATA_DIR to another folder.`,
  )
  await first.kill()
  const lock = await lockDataDir(dir)
  lock.release()
  expect(readdirSync(join(dir, 'lock'))).toEqual([])
})

test('lockDataDir: takes over a stale lock when its process id belongs to another process', async () => {
  const reusedPidIdentity = encodeURIComponent((identifyProcess(process.ppid) ?? '').replace(/ \d+ /, ' 1 '))
  mkdirSync(join(dir, 'lock'))
  for (const suffix of ['claim', 'held']) writeFileSync(join(dir, 'lock', `${reusedPidIdentity}~x.${suffix}`), '')
  const lock = await lockDataDir(dir)
  expect(readdirSync(join(dir, 'lock')).filter((name) => name.startsWith(reusedPidIdentity))).toEqual([])
  lock.release()
})

test('lockDataDir: exactly one process gets a stale lock when several start simultaneously', async () => {
  const killedHolder = await startContender()
  await killedHolder.kill()
  const contenders = await Promise.all([1, 2, 3, 4].map(startContender))
  expect(contenders.map((contender) => contender.said).filter((said) => said === 'locked')).toHaveLength(1)
  await Promise.all(contenders.map((contender) => contender.kill()))
})

test('lockDataDir: exactly one caller gets the lock when many call it simultaneously in one process', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDir(dir)))
  const acquiredLocks = outcomes.filter((outcome) => outcome.status === 'fulfilled')
  expect(acquiredLocks).toHaveLength(1)
  for (const outcome of acquiredLocks) outcome.value.release()
})
