import { afterAll, beforeAll } from 'vitest'
import { startTestChain, type TestChain } from './chain.ts'
import { startTestDatabase, type TestDatabase } from './database.ts'

/**
 * Vitest hooks that start a database or a chain before all tests of a file and stop it after them.
 * Call them before the file's own hooks: Vitest runs `afterAll` hooks in reverse order, so that a
 * server is closed before its database stops. A returned object is empty until the hooks have run.
 */

export function useTestDatabase(options: { ownServer?: boolean } = {}): TestDatabase {
  const database = {} as TestDatabase
  beforeAll(async () => {
    Object.assign(database, await startTestDatabase(options))
  })
  afterAll(() => database.stop?.())
  return database
}

export function useTestChain(): TestChain {
  const chain = {} as TestChain
  beforeAll(async () => {
    Object.assign(chain, await startTestChain())
  })
  afterAll(() => chain.stop?.())
  return chain
}

export function useTestDatabaseAndChain(options: { ownServer?: boolean } = {}): {
  database: TestDatabase
  chain: TestChain
} {
  return { database: useTestDatabase(options), chain: useTestChain() }
}
