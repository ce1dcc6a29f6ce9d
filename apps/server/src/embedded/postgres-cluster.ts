import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type RunAs, readLogTail, startChild } from './child-process.ts'

/** The superuser that owns the private database. */
export const clusterUser = 'tocsin'

/**
 * Names the folder that a program was started in. Unlike its path, it is open to a user for whom a parent folder is
 * closed, since the folder was entered before the user changed.
 */
const ownFolder = '/proc/self/cwd'

const NOBODY: RunAs = { uid: 65_534, gid: 65_534 }

/**
 * PostgreSQL refuses to run as root: as root it runs as whoever owns the cluster, "nobody" for a new one.
 * @returns undefined for an ordinary user, who runs it as themselves.
 */
export function chooseUser(cluster: string): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : NOBODY
}

/** The cluster's path as its own processes must be told it. */
export function clusterArgument(cluster: string, runAs: RunAs | undefined): string {
  return runAs && process.platform === 'linux' ? ownFolder : cluster
}

/**
 * Makes `dir/cluster` unless it is there. It is made under another name and renamed when complete and on disk, so
 * that being killed meanwhile leaves nothing that would count as a database.
 */
export async function createCluster(options: { dir: string; initdb: string; runAs: RunAs | undefined }): Promise<void> {
  const { dir, runAs } = options
  for (const entry of readdirSync(dir)) {
    if (entry.startsWith('initdb-')) rmSync(join(dir, entry), { recursive: true, force: true })
  }
  const cluster = join(dir, 'cluster')
  if (existsSync(cluster)) return

  const draft = mkdtempSync(join(dir, 'initdb-'))
  const draftCluster = join(draft, 'cluster')
  const passwordFile = join(draft, 'password')
  mkdirSync(draftCluster, { mode: 0o700 })
  writeFileSync(passwordFile, createPassword(dir), { mode: 0o600 })
  for (const path of runAs ? [draft, draftCluster, passwordFile] : []) chownSync(path, runAs?.uid ?? 0, runAs?.gid ?? 0)

  const logFile = join(dir, 'initdb.log')
  rmSync(logFile, { force: true })
  const folder = clusterArgument(draftCluster, runAs)
  const child = await startChild({
    command: options.initdb,
    args: [
      ...['-D', folder, '-U', clusterUser, '-E', 'UTF8', '--locale=C'],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '-A', 'scram-sha-256'],
      ...['--no-instructions', `--pwfile=${folder}/../password`],
    ],
    cwd: draftCluster,
    runAs,
    stopSignal: 'SIGTERM',
    pidFile: join(dir, 'initdb.pid'),
    logFile,
  })
  const how = await child.exited
  if (how !== 'exit code 0') throw new Error(`The database can't be made in ${dir} (${how}): ${readLogTail(logFile)}`)
  renameSync(draftCluster, cluster)
  syncFolder(dir)
  rmSync(draft, { recursive: true, force: true })
}

/** The superuser's password, made once. */
export function readPassword(dir: string): string {
  return readFileSync(join(dir, 'password'), 'utf8').trim()
}

/**
 * Removes a lock that a dead postmaster left, when its process id now belongs to some other program: PostgreSQL would
 * take that one for itself and refuse to start. A lock whose process id is free it handles by itself.
 */
export function removeForeignLock(cluster: string): void {
  const lock = join(cluster, 'postmaster.pid')
  if (process.platform !== 'linux' || !existsSync(lock)) return
  const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10)
  try {
    if (readlinkSync(`/proc/${pid}/cwd`) !== realpathSync(cluster)) rmSync(lock)
  } catch {
    // No such process, or one that we may not look at; PostgreSQL judges.
  }
}

function createPassword(dir: string): string {
  const file = join(dir, 'password')
  const password = randomBytes(24).toString('base64url')
  writeFileSync(file, password, { mode: 0o600, flush: true })
  return password
}

function syncFolder(dir: string): void {
  const folder = openSync(dir, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
