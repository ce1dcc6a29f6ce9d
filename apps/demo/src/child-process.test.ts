import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type ChildOptions, startChild } from './child-process.ts'
import { identifyProcess, waitUntilGone } from './process-identity.ts'

/** Timeout that only ends hanging tests. The watcher of a program is slow on a busy machine. */
const TEST_TIMEOUT_MS = 120_000

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tocsin-child-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function createChildOptions(script: string): ChildOptions {
  return {
    command: '/bin/sh',
    args: ['-c', script],
    cwd: dir,
    stopSignal: 'SIGTERM',
    pidFile: join(dir, 'child.pid'),
    logFile: join(dir, 'child.log'),
  }
}

/** Starts a process that starts the child, prints the child's id, and can be killed. */
async function startParent(script: string): Promise<{ child: string; kill(): Promise<void> }> {
  const modulePath = new URL('child-process.ts', import.meta.url).href
  const program = `const { startChild } = await import(${JSON.stringify(modulePath)})
    console.log((await startChild(${JSON.stringify(createChildOptions(script))})).pid)
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => parent.once('exit', () => resolve()))
  const pid = await new Promise<string>((resolve) => createInterface(parent.stdout).once('line', resolve))
  const kill = async (): Promise<void> => {
    parent.kill('SIGKILL')
    await exited
  }
  return { child: identifyProcess(Number(pid)) ?? 'never ran', kill }
}

function findWatcher(pid: number): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  const watcher = children.find((id) => {
    const command = readFileSync(`/proc/${id}/cmdline`, 'utf8')
    return command.includes('while read') && command.split('\0').includes(String(pid))
  })
  return Number(watcher)
}

test('startChild: reports the exit code or signal when the program ends by itself', async () => {
  for (const [script, how] of [
    ['exit 3', 'exit code 3'],
    ['kill -KILL $$', 'signal SIGKILL'],
    ['exit 0', 'exit code 0'],
  ] as const) {
    const child = await startChild(createChildOptions(script))
    expect(await child.exited).toBe(how)
  }
})

test('startChild: stop requests a graceful end and resolves when the program has ended', async () => {
  const child = await startChild(
    createChildOptions(`trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done`),
  )
  await expect.poll(() => readFileSync(join(dir, 'child.log'), 'utf8')).toBe('up\n')
  await child.stop()
  expect(await child.exited).toBe('exit code 0')
  expect(readFileSync(join(dir, 'child.log'), 'utf8')).toBe('up\nbye\n')
})

test('startChild: the program ends when its parent is killed', async () => {
  const parent = await startParent('exec sleep 300')
  expect(parent.child).not.toBe('never ran')
  await parent.kill()
  expect(await waitUntilGone(parent.child, TEST_TIMEOUT_MS)).toBe(true)
})

test('startChild: a program that ignores the stop signal is killed when its parent is killed', async () => {
  const parent = await startParent(`trap '' TERM; while :; do sleep 0.1; done`)
  await parent.kill()
  expect(await waitUntilGone(parent.child, TEST_TIMEOUT_MS)).toBe(true)
})

test('startChild: when the process that watches the parent is killed, another process takes its place', async () => {
  const child = await startChild(createChildOptions('exec sleep 300'))
  const first = findWatcher(child.pid)
  process.kill(first, 'SIGKILL')
  await expect.poll(() => ![first, Number.NaN].includes(findWatcher(child.pid))).toBe(true)
  await child.stop()
})

test('startChild: stops a process of an earlier run, but not an unrelated process with the same id', async () => {
  const survivor = spawn('/bin/sleep', ['300'], { stdio: 'ignore' })
  const identity = identifyProcess(survivor.pid ?? 0) ?? ''
  const survivorExited = new Promise<void>((resolve) => survivor.once('exit', () => resolve()))

  writeFileSync(join(dir, 'child.pid'), identity.replace(/ \d+ /, ' 1 '))
  await (await startChild(createChildOptions('exit 0'))).exited
  expect(identifyProcess(survivor.pid ?? 0)).toBe(identity)

  writeFileSync(join(dir, 'child.pid'), identity)
  await (await startChild(createChildOptions('exit 0'))).exited
  expect(identifyProcess(survivor.pid ?? 0)).toBeUndefined()
  await survivorExited
})

test('startChild: starts when the process of an earlier run ends just before the signal is sent', async () => {
  const survivor = spawn('/bin/sleep', ['300'], { stdio: 'ignore' })
  writeFileSync(join(dir, 'child.pid'), identifyProcess(survivor.pid ?? 0) ?? '')
  // The moment between the check of the process and the signal cannot be hit with a real process.
  const killSpy = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    survivor.kill('SIGKILL')
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
  })
  onTestFinished(() => killSpy.mockRestore())
  const child = await startChild(createChildOptions('exit 0'))
  expect(await child.exited).toBe('exit code 0')
})

test('startChild: logs the error of the shell when the program does not exist', async () => {
  const child = await startChild({ ...createChildOptions(''), command: join(dir, 'missing'), args: [] })
  expect(await child.exited).toBe('exit code 127')
  expect(readFileSync(join(dir, 'child.log'), 'utf8')).toContain('missing')
})
