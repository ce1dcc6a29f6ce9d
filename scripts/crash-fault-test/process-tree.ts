import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

export interface Process {
  pid: number
  parentPid: number
  /** Tells this run of the process id from a later one. */
  startTicks: string
  isDead: boolean
  /** File name of the running program. */
  program: string
}

/** A process and all that descends from it, parents first. Linux alone. */
export function readTree(rootPid: number): Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []))
  const tree = all.filter(({ pid }) => pid === rootPid)
  for (const { pid } of tree) tree.push(...all.filter(({ parentPid }) => parentPid === pid))
  return tree
}

/** Those of `processes` that still run. */
export function readSurvivors(processes: readonly Process[]): Process[] {
  return processes.filter(({ pid, startTicks }) => {
    const now = readProcess(pid)[0]
    return now?.startTicks === startTicks && !now.isDead
  })
}

/** Kills what still runs, without a chance to tidy up. */
export function killNow(processes: readonly Process[]): void {
  for (const { pid } of readSurvivors(processes)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended in between.
    }
  }
}

function readProcess(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold spaces; state is the first field after it, start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent = ''] = fields
    const isDead = state === 'Z' || state === 'X'
    const program = isDead ? '' : basename(readlinkSync(`/proc/${pid}/exe`))
    return [{ pid, parentPid: Number(parent), startTicks: fields[19] ?? '', isDead, program }]
  } catch {
    return []
  }
}
