import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Priority } from '@tocsin/protocol'
import type { Answer, Order } from './product.ts'
import { createQueue } from './queue.ts'

/** Size in bytes of the alerts of the minimal C server and the peers, equal to the product's. */
export const ALERT_BYTES = 1_240

/** A server in a process of its own. */
export interface Server {
  port: number
  /**
   * Resident memory in bytes, after a garbage collection. Call it while no alert is being
   * published.
   */
  getMemoryBytes(): Promise<number>
  /** CPU time in microseconds. */
  getCpuUs(): Promise<number>
  /**
   * Publishes alerts. May be called again before the previous call has returned.
   * @returns the time of the commit in nanoseconds of the monotonic clock
   */
  publish(count: number, priority?: Priority): Promise<number>
  stop(): Promise<void>
}

/** Starts a program of this folder that is controlled by messages: see `product.ts`. */
export async function startNodeProcess(
  program: string,
  config: Extract<Order, { config: unknown }>['config'],
  port: number,
): Promise<Server> {
  const child = fork(join(import.meta.dirname, program), { execArgv: ['--expose-gc', '--import', 'tsx'] })
  const answers = createQueue<Answer>(child)
  child.on('message', (answer: Answer) => answers.push(answer))
  const ask = (order: Order) => {
    child.send(order)
    return answers.next()
  }
  await ask({ config })
  return {
    port,
    async getMemoryBytes() {
      await ask({ collect: true })
      return readMemory(child)
    },
    getCpuUs: () => readCpuUs(child),
    async publish(count, priority) {
      const answer = await ask(priority === undefined ? { publish: count } : { publish: count, priority })
      return 'committedAt' in answer ? Number(answer.committedAt) : 0
    },
    stop: () => stop(child),
  }
}

/**
 * Starts a server that is controlled by lines: it prints "up" when it listens. On the line "p" it
 * publishes an alert and prints the time before the first write. On the line "g" it collects
 * garbage and prints a line.
 */
export async function startLineServer(command: string, args: readonly string[], port: number): Promise<Server> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createQueue<string>(child)
  createInterface(child.stdout).on('line', lines.push)
  // Ignore failed writes to a process that has ended: the queue rejects pending calls of `next`.
  child.stdin.on('error', () => {})
  const ask = (line: string) => {
    child.stdin.write(`${line}\n`)
    return lines.next()
  }
  await lines.next()
  return {
    port,
    async getMemoryBytes() {
      await ask('g')
      return readMemory(child)
    },
    getCpuUs: () => readCpuUs(child),
    async publish(count) {
      let sentAt = 0
      for (let left = count; left > 0; left -= 1) sentAt = Number(await ask('p'))
      return sentAt
    },
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Reads the resident memory of a process in bytes. */
async function readMemory({ pid }: ChildProcess): Promise<number> {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb) * 1024
}

/**
 * Reads the CPU time of the threads of a process in microseconds. Other sources count in ticks of
 * 10 ms, which are too coarse for an alert to 500 subscribers. Threads that have ended are missing.
 */
async function readCpuUs({ pid }: ChildProcess): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const times = await Promise.all(
    threads.map(async (thread) => {
      // A thread can end between the two reads.
      const stat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')
      return Number(stat.split(' ')[0])
    }),
  )
  return times.reduce((sum, ns) => sum + ns, 0) / 1_000
}
