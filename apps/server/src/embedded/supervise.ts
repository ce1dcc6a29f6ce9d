import type { RunningChild } from './child-process.ts'

export type Supervised = {
  /**
   * Resolves to an error message when the program has failed permanently without a request to stop.
   */
  exited: Promise<string>
  stop(): Promise<void>
}

const MAX_CRASHES = 5
const CRASH_WINDOW_MS = 60_000

/**
 * Keeps a program running. Restarts it when it ends unexpectedly, unless it ends five times within
 * a minute or cannot be started. `start` must resolve when the program is ready.
 */
export async function supervise(
  name: string,
  start: () => Promise<RunningChild>,
  onProgress: (message: string) => void,
): Promise<Supervised> {
  let child = await start()
  let stopping = false
  let giveUp: (reason: string) => void = () => {}
  const exited = new Promise<string>((resolve) => {
    giveUp = resolve
  })

  const watch = async (): Promise<void> => {
    const crashes: number[] = []
    while (true) {
      const how = await child.exited
      if (stopping) return
      crashes.push(performance.now())
      const recent = crashes.filter((at) => at > performance.now() - CRASH_WINDOW_MS)
      if (recent.length >= MAX_CRASHES) return giveUp(`${name} ended ${recent.length} times in a minute (${how}).`)
      onProgress(`${name} ended unexpectedly (${how}), restarting`)
      try {
        child = await start()
      } catch (error) {
        return giveUp(`${name} ended (${how}) and cannot be restarted: ${String(error)}`)
      }
      if (stopping) await child.stop()
    }
  }
  const watched = watch()

  const stop = async (): Promise<void> => {
    stopping = true
    await child.stop()
    await watched
  }
  return { exited, stop }
}
