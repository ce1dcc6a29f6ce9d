import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

export interface Process {
  pid: number
  parentPid: number
  /** Start time, which distinguishes processes that reuse the same id. */
  startTicks: string
  isDead: boolean
  /** CPU time in clock ticks, which are 10 ms. */
  cpuTicks: number
  /** File name of the running program. */
  program: string
}

/** Returns a process and its descendants, parents first. Linux only. */
export function readTree(rootPid: number): Process[] {
  const allProcesses = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []))
  const tree = allProcesses.filter(({ pid }) => pid === rootPid)
  for (const { pid } of tree) tree.push(...allProcesses.filter(({ parentPid }) => parentPid === pid))
  return tree
}

/** Returns the members of `processes` that are still running. */
export function readSurvivors(processes: readonly Process[]): Process[] {
  return processes.filter(({ pid, startTicks }) => {
    const currentProcess = readProcess(pid)[0]
    return currentProcess?.startTicks === startTicks && !currentProcess.isDead
  })
}

/** Sends SIGKILL to the processes that are still running. */
export function killProcesses(processes: readonly Process[]): void {
  for (const { pid } of readSurvivors(processes)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has ended in the meantime.
    }
  }
}

function readProcess(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces. After it, the state is the 1st field, the CPU
    // times are the 12th and 13th, and the start time is the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent = ''] = fields
    const isDead = state === 'Z' || state === 'X'
    const program = isDead ? '' : basename(readlinkSync(`/proc/${pid}/exe`))
    const cpuTicks = Number(fields[11]) + Number(fields[12])
    return [{ pid, parentPid: Number(parent), startTicks: fields[19] ?? '', isDead, cpuTicks, program }]
  } catch {
    return []
  }
}
