import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningChild } from './child-process.ts'

export type Supervised = {
  /**
   * Resolves to an error message when the program has failed permanently without a request to stop.
   */
  exited: Promise<string>
  stop(): Promise<void>
}

/** A cheap request to the running program. `isAnswering` must return within seconds. */
export interface Probe {
  isAnswering(): Promise<boolean>
  everyMs?: number
}

const PROBE_EVERY_MS = 5_000
const MAX_UNANSWERED = 4
const MAX_CRASHES = 5
const CRASH_WINDOW_MS = 60_000

/**
 * Keeps a program running. Restarts it when it ends unexpectedly or leaves four probes in a row
 * unanswered, unless it ends five times within a minute or cannot be started. `start` must resolve
 * when the program is ready.
 */
export async function supervise(
  name: string,
  start: () => Promise<RunningChild>,
  onProgress: (message: string) => void,
  probe: Probe,
): Promise<Supervised> {
  let child = await start()
  let isRestarting = false
  let isStopping = false
  const stopProbes = new AbortController()
  let giveUp: (reason: string) => void = () => {}
  const exited = new Promise<string>((resolve) => {
    giveUp = resolve
  })

  const watch = async (): Promise<void> => {
    const crashes: number[] = []
    while (true) {
      const exitReason = await child.exited
      if (isStopping) return
      crashes.push(performance.now())
      const recentCrashes = crashes.filter((at) => at > performance.now() - CRASH_WINDOW_MS)
      if (recentCrashes.length >= MAX_CRASHES)
        return giveUp(`${name} ended ${recentCrashes.length} times in a minute (${exitReason}).`)
      onProgress(`${name} ended unexpectedly (${exitReason}), restarting`)
      isRestarting = true
      try {
        child = await start()
        isRestarting = false
      } catch (error) {
        return giveUp(`${name} ended (${exitReason}) and cannot be restarted: ${String(error)}`)
      }
      if (isStopping) await child.stop()
    }
  }
  /** Probes the program repeatedly, because a program that hangs does not end. */
  const probeAnswers = async (): Promise<void> => {
    let unansweredCount = 0
    const { signal } = stopProbes
    while (!signal.aborted) {
      await sleep(probe.everyMs ?? PROBE_EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
      if (isStopping) return
      const probedChild = child
      const isSilent = !isRestarting && !(await probe.isAnswering()) && probedChild === child && !isRestarting
      unansweredCount = isSilent ? unansweredCount + 1 : 0
      if (unansweredCount < MAX_UNANSWERED || isStopping) continue
      unansweredCount = 0
      onProgress(`${name} no longer responds, stopping it`)
      await probedChild.stop()
    }
  }
  const watchTasks = Promise.all([watch().finally(() => stopProbes.abort()), probeAnswers()])

  const stop = async (): Promise<void> => {
    isStopping = true
    stopProbes.abort()
    await child.stop()
    await watchTasks
  }
  return { exited, stop }
}
