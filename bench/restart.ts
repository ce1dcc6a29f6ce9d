import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { ownEnvironment } from '../scripts/own-environment.mjs'

/**
 * Measures how long a stopped demo takes from its start until `/readyz` responds with 200.
 * `node --import tsx bench/restart.ts DATA_DIR [restarts]`. Build first; the demo must not run.
 */
const [, , dataDir, restarts = '5'] = process.argv
if (!dataDir) throw new Error('usage: node --import tsx bench/restart.ts DATA_DIR [restarts]')

async function measureRestart(folder: string): Promise<{ seconds: number; entries: number }> {
  const port = await findFreePort()
  const chainPort = await findFreePort()
  const env = ownEnvironment({ DATA_DIR: folder, PORT: String(port), LOCAL_CHAIN_PORT: String(chainPort) })
  const url = `http://localhost:${port}`
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['scripts/start.mjs'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('The demo ended before it was ready')
    await sleep(10)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const { size } = await (await fetch(`${url}/api/log/head`)).json()
  child.kill('SIGTERM')
  await exited
  return { seconds, entries: size }
}

const restartTimes: number[] = []
for (let run = 0; run < Number(restarts); run++) {
  const { seconds, entries } = await measureRestart(dataDir)
  restartTimes.push(seconds)
  console.log(`${entries} entries: ready after ${seconds.toFixed(2)} s`)
}
restartTimes.sort((a, b) => a - b)
console.log(`median ${restartTimes[Math.floor(restartTimes.length / 2)]?.toFixed(2)} s`)
