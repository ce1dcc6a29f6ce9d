import { browserStorage } from './browser-storage.ts'

/** Reads a JSON value from local storage. Returns null if it is missing or invalid. */
export function readStoredValue(key: string): unknown {
  try {
    return JSON.parse(browserStorage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/**
 * Reads a JSON object whose values can have any type. Returns an empty object if it is missing or
 * invalid.
 */
export function readStoredRecord(key: string): { [name: string]: unknown } {
  return toRecord(readStoredValue(key))
}

/** Reads the objects of a JSON list. Returns an empty list if it is missing or invalid. */
export function readStoredRecords(key: string): { [name: string]: unknown }[] {
  const list = readStoredValue(key)
  return Array.isArray(list) ? list.map(toRecord) : []
}

/** The properties of an object. Returns an empty record for any other value. */
export function toRecord(value: unknown): { [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function store(key: string, value: unknown): void {
  browserStorage.setItem(key, JSON.stringify(value))
}
