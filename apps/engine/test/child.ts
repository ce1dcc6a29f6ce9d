import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { connectFeedClient } from './product.ts'
import { root, spawnEngine, writeClock } from './spawn-engine.ts'

const KEY = 'secret'

/**
 * Creates an engine that a test can start and kill repeatedly, and a product (a client of its feed)
 * that keeps running and reconnects.
 */
export function createChild(engine: 'stand-in' | 'real', startMs: number, env: Record<string, string>) {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache/engine-clock-'))
  const clockFile = join(folder, 'clock')
  let child: ChildProcessWithoutNullStreams | null = null
  let url: string | null = null
  const setClock = (nowMs: number) => writeClock(clockFile, nowMs)
  setClock(startMs)
  const product = connectFeedClient(() => url, KEY)
  const kill = async () => {
    const childExit = child && once(child, 'exit')
    child?.kill('SIGKILL')
    child = null
    url = null
    await childExit
  }
  onTestFinished(async () => {
    product.close()
    await kill()
    rmSync(folder, { recursive: true })
  })
  return {
    product,
    setClock,
    kill,
    url: () => url,
    start() {
      const startedChild = spawnEngine({
        ENGINE_PORT: '0',
        ENGINE_KEY: KEY,
        LOG_LEVEL: 'silent',
        TEST_ENGINE: engine,
        TEST_CLOCK: clockFile,
        ...env,
      })
      startedChild.stderr.pipe(process.stderr)
      startedChild.stdout.on('data', (chunk: Buffer) => {
        if (startedChild === child) url = /ws:\/\/\S+/.exec(chunk.toString())?.[0] ?? url
      })
      child = startedChild
    },
  }
}
