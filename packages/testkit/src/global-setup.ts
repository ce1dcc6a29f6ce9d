import { shareTestDatabase } from './database.ts'

/** What the test runner does once before all files; it calls what this answers after the last one. */
export function setup(): Promise<() => Promise<void>> {
  return shareTestDatabase()
}
