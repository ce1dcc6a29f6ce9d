import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { killOnExit, startTcpProxy, type TcpProxy } from '@tocsin/testkit'
import { ownEnvironment } from '../../scripts/own-environment.mjs'
import { call } from './http-client.ts'
import type { Release } from './release.ts'

/** A server process of the product. It connects to the database through its own proxy. */
export interface Instance {
  name: string
  port: number
  /** Proxy of the connections to the database. */
  databaseProxy: TcpProxy
  start(): void
  /** Makes the instance run another release from its next start on. */
  install(release: Release): void
  /** Ends the process and resolves when it has ended. It is not restarted. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  freeze(): void
  thaw(): void
  setClock(aheadMs: number): void
  isRunning(): boolean
  waitUntilReady(): Promise<void>
  /** Returns the jobs that the instance leads. */
  listLedJobs(): Promise<string[]>
  close(): Promise<void>
}

export interface InstanceSettings {
  release: Release
  dir: string
  databaseUrl: string
  env: Record<string, string>
}

const POLL_MS = 50
const METRICS_TIMEOUT_MS = 2_000

export async function createInstance(number: number, settings: InstanceSettings): Promise<Instance> {
  const name = `instance ${number}`
  const dir = join(settings.dir, `instance-${number}`)
  mkdirSync(dir, { recursive: true })
  const port = await findFreePort()
  const database = await startTcpProxy(settings.databaseUrl)
  let { release } = settings
  let child: ChildProcess | null = null
  let killChild = async () => {}

  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null
  return {
    name,
    port,
    databaseProxy: database,
    isRunning,
    start() {
      const log = openSync(`${dir}.log`, 'a')
      const env = ownEnvironment({ ...settings.env, PORT: String(port), DATABASE_URL: database.url, DATA_DIR: dir })
      child = spawn(process.execPath, ['--enable-source-maps', release.bundle], {
        cwd: release.root,
        env: { ...env, NODE_ENV: 'production' },
        stdio: ['ignore', log, log, 'ipc'],
      })
      killChild = killOnExit(child, 'SIGKILL')
      // Ignore errors of messages that are sent while the process is being killed.
      child.on('error', () => {})
      closeSync(log)
    },
    install(other) {
      release = other
    },
    async end(signal) {
      const runningChild = child
      if (!runningChild || !isRunning()) return
      const childExit = new Promise((resolve) => runningChild.once('exit', resolve))
      runningChild.kill(signal)
      await childExit
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    setClock(aheadMs) {
      if (child?.connected) child.send({ aheadMs }, () => {})
    },
    async waitUntilReady() {
      while ((await call({ port, path: '/readyz' })).status !== 200) {
        if (!isRunning()) throw new Error(`${name} ended before it was ready, see ${dir}.log`)
        await delay(POLL_MS)
      }
    },
    async listLedJobs() {
      const { body } = await call({ port, path: '/metrics', timeoutMs: METRICS_TIMEOUT_MS })
      return [...body.matchAll(/^tocsin_leads\{job="(\w+)"\} 1$/gm)].map(([, job = '']) => job)
    },
    async close() {
      await killChild()
      await database.close()
    },
  }
}
