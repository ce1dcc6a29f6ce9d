import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { testConfig } from '@tocsin/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spawnTarget } from './target-process.ts'

const order = { config: testConfig({}), failpoint: 'anchor: after send', passesBeforeCrash: 0 } as const
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-target-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function createTarget(script: string) {
  const path = join(folder, 'target.mjs')
  await writeFile(path, script)
  return spawnTarget(path)
}

test('target process: the server is killed when the test fails, so that its port becomes free', async () => {
  const port = await findFreePort()
  const target = await createTarget(
    `import { createServer } from 'node:net'; createServer().listen(${port}, '127.0.0.1', () => console.log('up'))`,
  )
  const rejectAttempt = () => Promise.reject(new Error('Too many attempts'))
  await expect(target.runUntilCrash(order, rejectAttempt)).rejects.toThrow('Too many attempts')
  expect(await isOpen(port)).toBe(false)
})

test('target process: the error contains the output when the server exits unexpectedly', async () => {
  const target = await createTarget(`throw new Error('The port is in use')`)
  await expect(target.runUntilCrash(order, async () => {})).rejects.toThrow(
    /The server ended by itself \(1\)[\s\S]*The port is in use/,
  )
})

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
