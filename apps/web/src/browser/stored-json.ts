import { browserStorage } from './browser-storage.ts'
/** Reads a JSON value from local storage. Returns null if it is missing or invalid. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(browserStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

export function store(key: string, value: unknown): void {
  browserStorage.setItem(key, JSON.stringify(value))
}
