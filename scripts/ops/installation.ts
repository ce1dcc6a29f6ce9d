import { spawn } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { killOnExit, startTestChain, startTestDatabase } from '@tocsin/testkit'
import { isBuilt, root } from '../build-stamp.mjs'

/**
 * Id of the user that runs PostgreSQL and the product, or null for the current user. If this script
 * runs as root, it is the unprivileged user 65534, because PostgreSQL refuses to run as root.
 */
export const USER_ID = process.getuid?.() === 0 ? 65_534 : null

const POLL_MS = 100

export interface Installation {
  /**
   * Folder that contains `opt/tocsin` with the built product, and the other folders of
   * docs/operating.md.
   */
  folder: string
  databaseUrl: string
  chain: Awaited<ReturnType<typeof startTestChain>>
  close(): Promise<void>
}

/** Creates the folders that docs/operating.md describes, and starts a database and a chain. */
export async function createInstallation(): Promise<Installation> {
  if (!isBuilt()) throw new Error('The product is not built from these sources: npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-installation-'))
  await chmod(folder, 0o755)
  const productFolder = join(folder, 'opt/tocsin')
  const copiedWorkspaces = [
    'server/dist',
    'server/drizzle',
    'server/package.json',
    'web/dist',
    'engine/dist',
    'engine/package.json',
  ]
  for (const path of ['package.json', ...copiedWorkspaces.map((each) => `apps/${each}`)]) {
    await cp(join(root, path), join(productFolder, path), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(productFolder, 'node_modules'))
  const [database, chain] = await Promise.all([startTestDatabase({ ownServer: true }), startTestChain()])
  const { port, username, pathname } = new URL(await database.createDatabase())
  return {
    folder,
    // Connect by TCP, because a unit has its own /tmp and cannot reach a socket there.
    databaseUrl: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    chain,
    async close() {
      await Promise.all([database.stop(), chain.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a folder or, with `text`, a file that belongs to the user of the units. */
export async function createOwnedPath(path: string, text?: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  if (text === undefined) await mkdir(path, { mode: 0o700 })
  else await writeFile(path, text, { mode: 0o600 })
  if (USER_ID !== null) await chown(path, USER_ID, USER_ID)
}

export interface RunningProcess {
  /** Returns everything that the process has written so far. */
  output(): string
  /** Resolves to the exit code, or null after a signal. */
  ended: Promise<number | null>
  hasEnded(): boolean
  /** Sends SIGTERM. Resolves to the exit code and the time until the process ended. */
  stop(): Promise<{ code: number | null; seconds: number }>
}

export function startProcess(
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
): RunningProcess {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let hasEnded = false
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  killOnExit(child, 'SIGKILL')
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      hasEnded = true
      resolve(code)
    })
  })
  return {
    output: () => output,
    ended,
    hasEnded: () => hasEnded,
    async stop() {
      const startedMs = performance.now()
      child.kill('SIGTERM')
      return { code: await ended, seconds: (performance.now() - startedMs) / 1_000 }
    },
  }
}

/**
 * Requests `url` until `isExpected` accepts the response.
 * @throws Error with the output of the process if the process ends first
 */
export async function waitForResponse(
  url: string,
  running: RunningProcess,
  isExpected: (answer: Response) => Promise<boolean>,
) {
  for (;;) {
    if (running.hasEnded()) throw new Error(`The process ended before ${url} answered:\n${running.output()}`)
    const answer = await fetch(url).catch(() => null)
    if (answer && (await isExpected(answer))) return
    await delay(POLL_MS)
  }
}

export const isReady = async (answer: Response) =>
  answer.status === 200 && (await answer.text()).includes('"status":"ready"')
