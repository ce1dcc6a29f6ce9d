export interface Progress {
  /** Reports progress. Updates are throttled, so callers may call it often. */
  show(done: number, total: number, unit: string): void
  /** Clears the line. */
  end(): void
}

const INTERVAL_MS = 200
const CLEAR_LINE = '\r\x1b[2K'

/** Creates a progress report on a single line that is overwritten. */
export function createProgress(write: (text: string) => void): Progress {
  let shownAt = Number.NEGATIVE_INFINITY
  let unitStart = { unit: '', at: 0, done: 0 }
  let isDirty = false
  return {
    show(done, total, unit) {
      const now = performance.now()
      if (unit !== unitStart.unit) unitStart = { unit, at: now, done }
      if (now - shownAt < INTERVAL_MS) return
      shownAt = now
      isDirty = true
      const percent = total > 0 ? Math.floor((100 * done) / total) : 100
      const rate =
        now > unitStart.at
          ? `, ${formatNumber(Math.round((1000 * (done - unitStart.done)) / (now - unitStart.at)))}/s`
          : ''
      write(`${CLEAR_LINE}${formatNumber(done)} of ${formatNumber(total)} ${unit} (${percent}%)${rate}`)
    },
    end() {
      if (isDirty) write(CLEAR_LINE)
      isDirty = false
    },
  }
}

export const noProgress: Progress = { show() {}, end() {} }

export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

/** Formats a count, for example "1 entry" or "2 entries". */
export function formatEntryCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'entry' : 'entries'}`
}
