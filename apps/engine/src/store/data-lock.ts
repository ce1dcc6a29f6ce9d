import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Locks the data folder for this process. Two engines on one folder would send every signal twice.
 * @throws Error for the operator if a running process holds the lock
 */
export function lockDataFolder(folder: string): { release(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const holder = readHolder(path)
  if (holder !== null && isRunning(holder)) {
    throw new Error(`An engine is already running on ${folder} (process ${holder}). Stop it, or set ENGINE_DATA.`)
  }
  if (holder !== null) rmSync(path, { force: true })
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 })
  } catch {
    throw new Error(`Another engine has just started on ${folder}. Stop it, or set ENGINE_DATA.`)
  }
  return { release: () => rmSync(path, { force: true }) }
}

function readHolder(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || 0
  } catch {
    return null
  }
}

/** A container gives each start the same process id, so our own id is a lock from before. */
function isRunning(pid: number): boolean {
  if (pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
