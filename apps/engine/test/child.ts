import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { onTestFinished } from 'vitest'
import { connectProduct } from './product.ts'

const KEY = 'secret'
const root = fileURLToPath(new URL('../../..', import.meta.url))
let bundle: string | null = null

/** Compiled once: Node starts a bundle several times faster than tsx starts its sources. */
function bundleChild(): string {
  if (bundle !== null) return bundle
  mkdirSync(join(root, '.cache'), { recursive: true })
  // Inside the repository, so that its packages are found.
  const folder = mkdtempSync(join(root, '.cache/engine-child-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  bundle = join(folder, 'child.mjs')
  buildSync({
    absWorkingDir: root,
    entryPoints: ['apps/engine/test/engine-child.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    alias: Object.fromEntries(
      ['engine', 'proof'].map((name) => [`@tocsin/${name}`, `./packages/${name}/src/index.ts`]),
    ),
    packages: 'external',
    logLevel: 'warning',
  })
  return bundle
}

/** Starts the engine as a process of its own. */
export function spawnEngine(env: Record<string, string>): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [bundleChild()], { env: { PATH: process.env.PATH, ...env } })
}

/** An engine that a test starts and kills again and again, and a product that stays. */
export function createChild(engine: 'stand-in' | 'real', startMs: number, env: Record<string, string>) {
  const folder = mkdtempSync(join(root, '.cache/engine-clock-'))
  const clockFile = join(folder, 'clock')
  let child: ChildProcessWithoutNullStreams | null = null
  let url: string | null = null
  const setClock = (nowMs: number) => {
    writeFileSync(`${clockFile}.new`, String(nowMs))
    renameSync(`${clockFile}.new`, clockFile)
  }
  setClock(startMs)
  const product = connectProduct(() => url, KEY)
  const kill = async () => {
    const ended = child && once(child, 'exit')
    child?.kill('SIGKILL')
    child = null
    url = null
    await ended
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
      const started = spawnEngine({
        ENGINE_PORT: '0',
        ENGINE_KEY: KEY,
        LOG_LEVEL: 'silent',
        TEST_ENGINE: engine,
        TEST_CLOCK: clockFile,
        ...env,
      })
      started.stderr.pipe(process.stderr)
      started.stdout.on('data', (chunk: Buffer) => {
        if (started === child) url = /ws:\/\/\S+/.exec(chunk.toString())?.[0] ?? url
      })
      child = started
    },
  }
}
