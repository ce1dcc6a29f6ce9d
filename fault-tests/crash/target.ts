import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { waitForOutput } from '@tocsin/testkit'
import { root } from '../../scripts/build-stamp.mjs'
import { ownEnvironment } from '../../scripts/own-environment.mjs'
import { killProcesses, type Process, readSurvivors, readTree } from './process-tree.ts'

export const components = ['node', 'npm', 'postgres', 'anvil', 'everything'] as const
export type Component = (typeof components)[number]

/** Timeouts that only end tests that hang. */
const READY_TIMEOUT_MS = 300_000
const EXIT_TIMEOUT_MS = 120_000
const POLL_MS = 50

/** The product under test, as started by `npm start`. */
export interface Target {
  url: string
  chainUrl: string
  admin: { email: string; password: string }
  /**
   * Starts the product. Resolves to the time in ms until it was ready. Rejects with its output if
   * it ends before.
   */
  start(): Promise<number>
  /** Kills one component, or all. Returns false if the component is not running. */
  kill(component: Component): boolean
  /** Waits until the killed processes and their descendants have ended. */
  waitUntilKilled(): Promise<void>
  /**
   * Waits until all processes of the killed run have ended.
   * @throws Error that names the remaining ones
   */
  waitUntilExited(): Promise<void>
  isRunning(): boolean
  stop(): Promise<void>
}

export interface TargetOptions {
  dataDir: string
  port: number
  chainPort: number
  /** Folder of the product to run: this checkout, or an earlier release. */
  from?: string
}

export function createTarget({ dataDir, port, chainPort, from = root }: TargetOptions): Target {
  const url = `http://localhost:${port}`
  const env = ownEnvironment({ DATA_DIR: dataDir, PORT: String(port), LOCAL_CHAIN_PORT: String(chainPort) })
  const admin = { email: 'admin@tocsin.local', password: '' }
  let launcher: ChildProcess | null = null
  let lastTree: Process[] = []
  let killedProcesses: Process[] = []

  const isRunning = () => launcher !== null && launcher.exitCode === null && launcher.signalCode === null
  const waitUntilEnded = async (processes: readonly Process[]) => {
    const deadline = performance.now() + EXIT_TIMEOUT_MS
    while (readSurvivors(processes).length > 0) {
      if (performance.now() > deadline) {
        const survivors = readSurvivors(processes).map(({ pid, program }) => `${program} (${pid})`)
        killProcesses(processes)
        throw new Error(`still running after ${EXIT_TIMEOUT_MS / 1000} s: ${survivors.join(', ')}`)
      }
      await delay(POLL_MS)
    }
  }
  const waitUntilExited = () => waitUntilEnded(lastTree)
  return {
    url,
    chainUrl: `http://127.0.0.1:${chainPort}`,
    admin,
    isRunning,
    waitUntilExited,
    waitUntilKilled: () => waitUntilEnded(killedProcesses),
    async start() {
      const startedAt = performance.now()
      const child = spawn('npm', ['start'], { cwd: from, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
      launcher = child
      const { input: output } = await waitForOutput(child, /Ctrl-C stops everything/, READY_TIMEOUT_MS)
      const words = output.split(/\s+/)
      admin.password = words[words.indexOf(admin.email) + 1] ?? ''
      return performance.now() - startedAt
    },
    kill(component) {
      if (!launcher?.pid) return false
      lastTree = readTree(launcher.pid)
      const chosenProcesses = chooseProcesses(component, launcher.pid, lastTree)
      killedProcesses = chosenProcesses.flatMap(({ pid }) => readTree(pid))
      killProcesses(chosenProcesses)
      return chosenProcesses.length > 0
    },
    async stop() {
      if (!launcher?.pid) return
      lastTree = readTree(launcher.pid)
      launcher.kill('SIGINT')
      await waitUntilExited()
    },
  }
}

/**
 * Returns the processes of a component. `node` is the process below npm that is the parent of
 * PostgreSQL and anvil. For PostgreSQL, only the postmaster is killed, because its children end
 * with it.
 */
function chooseProcesses(component: Component, launcherPid: number, tree: Process[]): Process[] {
  if (component === 'everything') return tree
  if (component === 'npm') return tree.filter(({ pid }) => pid === launcherPid)
  const node = [...tree]
    .reverse()
    .find(({ pid, program }) => program === 'node' && pid !== launcherPid && !isBuild(tree, pid))
  if (component === 'node') return node ? [node] : []
  return tree.filter(({ program, parentPid }) => program === component && parentPid === node?.pid)
}

/**
 * Returns whether the node process belongs to the build: its parent is a node process other than
 * npm.
 */
function isBuild(tree: Process[], pid: number): boolean {
  const parent = tree.find((each) => each.pid === tree.find((child) => child.pid === pid)?.parentPid)
  return parent?.program === 'node' && parent !== tree[0]
}
