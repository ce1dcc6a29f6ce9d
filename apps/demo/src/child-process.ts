import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { identifyProcess, isAlive, waitUntilGone } from './process-identity.ts'

/** User and group id of a child process. */
export type RunAs = { uid: number; gid: number }

export type ChildOptions = {
  command: string
  args: string[]
  /**
   * Working folder. The child process enters it before it switches to the user `runAs`, so this
   * user needs no access to the parent folders.
   */
  cwd: string
  runAs?: RunAs | undefined
  /** Environment variables besides PATH. */
  env?: Record<string, string>
  /** Requests a graceful stop. SIGQUIT and SIGKILL follow if the program does not end. */
  stopSignal: 'SIGINT' | 'SIGTERM'
  /** File that records the running process, so that a later start can stop a leftover process. */
  pidFile: string
  logFile: string
}

export type RunningChild = {
  pid: number
  /** Size of the log file before the program started, in bytes. */
  logStart: number
  /** Resolves when the program ends, with a text such as "exit code 1" or "signal SIGKILL". */
  exited: Promise<string>
  stop(): Promise<void>
}

const ESCALATION_MS = 5_000
const MAX_LOG_BYTES = 4 * 1024 * 1024

// Delays the program until its watcher runs; `exec` keeps the process id. If this process ends
// before the watcher runs, `read` reaches end of file and the program never starts.
const GATE_SCRIPT = 'read -r go && exec "$@"'

// Only this process has the other end of the watcher's input pipe. End of file means that this
// process has ended, even by SIGKILL. A zombie (Z) still accepts signals, so the watcher checks the
// process state too.
const WATCHER_SCRIPT = `trap '' INT TERM HUP
is_alive() {
  kill -0 "$1" 2>/dev/null || return 1
  read -r pid name state rest 2>/dev/null <"/proc/$1/stat" || return 0
  [ "$state" != Z ]
}
while read -r line; do :; done
for signal in "$2" QUIT KILL; do
  is_alive "$1" || exit 0
  kill -s "$signal" "$1"
  tries=0
  while [ "$tries" -lt 50 ] && is_alive "$1"; do
    sleep 0.1
    tries=$((tries + 1))
  done
done`

/**
 * Starts a program that cannot outlive this process. It runs in its own session, so that Ctrl-C
 * reaches only this process, which decides the shutdown order. A leftover of an earlier run is
 * stopped first.
 */
export async function startChild(options: ChildOptions): Promise<RunningChild> {
  await stopLeftover(options.pidFile, options.stopSignal)
  const { child, logStart } = spawnGate(options)
  const pid = await waitUntilSpawned(child)
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
  })
  try {
    writeFileSync(options.pidFile, identifyProcess(pid) ?? String(pid), { mode: 0o600 })
    await keepWatcherRunning(pid, options.stopSignal, exited)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  void exited.then(() => rmSync(options.pidFile, { force: true }))
  child.stdin?.end('go\n')
  return { pid, logStart, exited, stop: () => stopChild(child, exited, options.stopSignal) }
}

/** Runs a watcher while the program runs. Replaces a watcher that was killed. */
async function keepWatcherRunning(pid: number, stopSignal: NodeJS.Signals, exited: Promise<string>): Promise<void> {
  let hasExited = false
  const watch = (): ChildProcess => {
    const watcher = spawn('/bin/sh', ['-c', WATCHER_SCRIPT, 'sh', String(pid), stopSignal.slice(3)], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    watcher.once('exit', () => {
      if (hasExited) return
      currentWatcher = watch()
      void waitUntilSpawned(currentWatcher).catch(() => {})
    })
    return watcher
  }
  let currentWatcher = watch()
  void exited.then(() => {
    hasExited = true
    currentWatcher.kill('SIGKILL')
  })
  await waitUntilSpawned(currentWatcher)
}

/**
 * Stops the process that an earlier run recorded in `pidFile`, unless the id now belongs to another
 * process.
 */
export async function stopLeftover(pidFile: string, stopSignal: NodeJS.Signals): Promise<void> {
  const processIdentity = readIfPresent(pidFile)
  if (processIdentity === undefined) return
  for (const signal of [stopSignal, 'SIGQUIT', 'SIGKILL'] as const) {
    if (!isAlive(processIdentity)) break
    sendSignal(Number.parseInt(processIdentity, 10), signal)
    if (await waitUntilGone(processIdentity, ESCALATION_MS)) break
  }
  rmSync(pidFile, { force: true })
}

/** Sends a signal to a process, which may have ended just now. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns the last log lines after `fromByte`, for error messages. */
export function readLogTail(logFile: string, fromByte = 0): string {
  const logText = readFileSync(logFile).subarray(fromByte).toString('utf8').trim()
  return logText.split('\n').slice(-5).join('\n')
}

async function stopChild(child: ChildProcess, exited: Promise<string>, stopSignal: NodeJS.Signals): Promise<void> {
  const timers = [setTimeout(() => child.kill('SIGQUIT'), ESCALATION_MS)]
  timers.push(setTimeout(() => child.kill('SIGKILL'), 2 * ESCALATION_MS))
  child.kill(stopSignal)
  await exited
  for (const timer of timers) clearTimeout(timer)
}

function spawnGate(options: ChildOptions): { child: ChildProcess; logStart: number } {
  const log = openLog(options.logFile)
  try {
    const logStart = fstatSync(log).size
    const child = spawn('/bin/sh', ['-c', GATE_SCRIPT, 'sh', options.command, ...options.args], {
      cwd: options.cwd,
      detached: true,
      stdio: ['pipe', log, log],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', ...options.env },
      ...(options.runAs ?? {}),
    })
    return { child, logStart }
  } finally {
    closeSync(log)
  }
}

function openLog(logFile: string): number {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.old`)
  return openSync(logFile, 'a', 0o600)
}

async function waitUntilSpawned(child: ChildProcess): Promise<number> {
  child.stdin?.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  if (child.pid === undefined) throw new Error(`${child.spawnfile} has no process id`)
  return child.pid
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
