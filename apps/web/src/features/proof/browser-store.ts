/** What this browser keeps between visits. Where it keeps nothing (private windows, full disks), everything is as on the first visit. */
export function readKept(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

export function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Nothing is kept then: the next visit is a first one.
  }
}
