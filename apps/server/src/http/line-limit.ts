import type { Scheduler } from '../scheduler.ts'

const WINDOW_MS = 60_000
const LINES_PER_WINDOW = 20

export interface LineLimit {
  /**
   * Returns true if another line of this kind may be logged. Use few kinds: each has its own
   * window.
   */
  admits(kind: string): boolean
  /** Reports the number of lines suppressed so far. */
  close(): void
}

/**
 * Allows at most 20 lines of one kind per minute, so that a flood neither fills the disk nor hides
 * other kinds.
 * @param onSuppressed called at the end of a window with the number of suppressed lines
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
