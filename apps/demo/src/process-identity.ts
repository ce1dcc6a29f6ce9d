import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Identifies a process by its id and start time, so that a later process with the same id is not
 * mistaken for it. Returns undefined if no such process is running. A zombie counts as ended.
 */
export function identifyProcess(pid: number): string | undefined {
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid)
}

/** Returns true if the process that `identifyProcess` identified is still running. */
export function isAlive(identity: string): boolean {
  const pid = Number.parseInt(identity, 10)
  return Number.isInteger(pid) && pid > 0 && identifyProcess(pid) === identity
}

/** Waits until the process has ended. Returns false if it is still running after `timeoutMs`. */
export async function waitUntilGone(identity: string, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}

function identifyByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces. After it, the state is the 1st field and the
    // start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    // Start times are relative to the boot, so they are comparable only within one boot.
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${pid} ${fields[19]} ${bootId}`
  } catch {
    return undefined
  }
}

function identifyByPs(pid: number): string | undefined {
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? `${pid} ${stdout.trim()}` : undefined
}
