import { browserStorage } from '../../browser-storage.ts'
/** What this browser keeps between visits. Where it keeps nothing (private windows, full disks), everything is as on the first visit. */
export function readKept(key: string): unknown {
  try {
    return JSON.parse(browserStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

export function keep(key: string, value: unknown): void {
  browserStorage.setItem(key, JSON.stringify(value))
}
