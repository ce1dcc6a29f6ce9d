import { shareTestDatabase } from './database.ts'

/**
 * Vitest global setup: runs once before all test files. Vitest calls the returned function after
 * the last one.
 */
export function setup(): Promise<() => Promise<void>> {
  return shareTestDatabase()
}
