import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Names one run of one process: its id with the moment it started, so that a later process that got the same id is
 * not mistaken for it. `undefined` when no such process is alive (a zombie counts as dead).
 */
export function identifyProcess(pid: number): string | undefined {
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid)
}

/** True while the process that `identifyProcess` named is still alive. */
export function isAlive(identity: string): boolean {
  const pid = Number.parseInt(identity, 10)
  return Number.isInteger(pid) && pid > 0 && identifyProcess(pid) === identity
}

/** Waits until the named process is gone; false when it is still there after `timeoutMs`. */
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
    // The name in parentheses may hold spaces; fields are counted after it: state is the 1st, start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    // Start times count from the boot, so they compare within one boot only.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${pid} ${fields[19]} ${boot}`
  } catch {
    return undefined
  }
}

function identifyByPs(pid: number): string | undefined {
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? `${pid} ${stdout.trim()}` : undefined
}
