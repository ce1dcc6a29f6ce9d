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
 * The working folder of a child process. Unlike an absolute path, it is accessible to a user
 * without access to a parent folder, because the process enters it before it switches to that user.
 */
const workingFolder = '/proc/self/cwd'

const UNPRIVILEGED: RunAs = { uid: 65_534, gid: 65_534 }

/**
 * Chooses another user for PostgreSQL if this process is root, because PostgreSQL refuses to run as
 * root.
 * @returns the owner of the cluster, or an unprivileged user for a new cluster; undefined if this
 * process is not root
 */
export function chooseUser(cluster: string): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : UNPRIVILEGED
}

/**
 * Returns the path of the cluster for the arguments of PostgreSQL's programs, which are started
 * with the cluster as their working folder. Programs that run as another user on Linux get
 * `/proc/self/cwd`, because that user may have no access to the parent folders.
 */
export function getClusterArgument(cluster: string, runAs: RunAs | undefined): string {
  return runAs && process.platform === 'linux' ? workingFolder : cluster
}

/**
 * Creates `dir/cluster` if it does not exist. Creates it under a temporary name, syncs it and
 * renames it, so that an interrupted run never leaves an incomplete cluster.
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
  const folder = getClusterArgument(draftCluster, runAs)
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
  const exitReason = await child.exited
  if (exitReason !== 'exit code 0')
    throw new Error(`Cannot create the database in ${dir} (${exitReason}): ${readLogTail(logFile)}`)
  renameSync(draftCluster, cluster)
  syncFolder(dir)
  rmSync(draft, { recursive: true, force: true })
}

/** Returns the superuser's password, which is generated once. */
export function readPassword(dir: string): string {
  return readFileSync(join(dir, 'password'), 'utf8').trim()
}

/**
 * Removes the lock of a dead postmaster if its process id now belongs to another program:
 * PostgreSQL would mistake that program for a postmaster and refuse to start. PostgreSQL itself
 * handles a lock whose process id is unused.
 */
export function removeForeignLock(cluster: string): void {
  const lock = join(cluster, 'postmaster.pid')
  if (process.platform !== 'linux' || !existsSync(lock)) return
  const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10)
  try {
    if (readlinkSync(`/proc/${pid}/cwd`) !== realpathSync(cluster)) rmSync(lock)
  } catch {
    // The process does not exist or cannot be inspected. PostgreSQL then checks the lock itself.
  }
}

function createPassword(dir: string): string {
  const file = join(dir, 'password')
  const password = randomBytes(24).toString('base64url')
  writeFileSync(file, password, { mode: 0o600, flush: true })
  return password
}

function syncFolder(dir: string): void {
  const folderDescriptor = openSync(dir, 'r')
  fsyncSync(folderDescriptor)
  closeSync(folderDescriptor)
}
