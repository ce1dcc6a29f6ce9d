import type { Scheduler } from '../scheduler.ts'

const WINDOW_MS = 60_000
const LINES_PER_WINDOW = 20

export interface LineLimit {
  /** Whether one more line of this kind may be written. Kinds must be few: each has a window of its own. */
  admits(kind: string): boolean
  /** Reports what was suppressed until now. */
  close(): void
}

/**
 * Admits at most 20 lines of one kind in a minute, so that a flood neither fills the disk nor hides other kinds.
 * @param onSuppressed hears at the end of a window how many lines of it were not admitted
 */
export function createLineLimit(
  scheduler: Scheduler,
  onSuppressed: (kind: string, suppressed: number) => void,
): LineLimit {
  const windows = new Map<string, { lines: number; stopTimer: () => void }>()
  const end = (kind: string) => {
    const window = windows.get(kind)
    windows.delete(kind)
    window?.stopTimer()
    if (window && window.lines > LINES_PER_WINDOW) onSuppressed(kind, window.lines - LINES_PER_WINDOW)
  }
  return {
    admits(kind) {
      const window = windows.get(kind) ?? { lines: 0, stopTimer: scheduler.after(WINDOW_MS, () => end(kind)) }
      windows.set(kind, window)
      window.lines += 1
      return window.lines <= LINES_PER_WINDOW
    },
    close() {
      for (const kind of [...windows.keys()]) end(kind)
    },
  }
}
