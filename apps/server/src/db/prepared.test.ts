import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareSelect, prepareStatement } from './prepared.ts'
import { settings } from './schema/server.ts'

const database = useTestDatabase()
let opened: TestContext

beforeAll(async () => {
  opened = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
})
afterAll(() => opened?.close())

let buildCount = 0
const findNames = prepareSelect<{ name: string }[], { name: string }>('test_names', (tx) => {
  buildCount += 1
  return tx
    .select({ name: settings.name })
    .from(settings)
    .where(eq(settings.name, sql.placeholder('name')))
})
const double = prepareStatement<{ twice: number }, { value: number }>(
  'test_double',
  () => sql`select 2 * ${sql.placeholder('value')}::int as twice`,
)

test('prepared query: builds its SQL once and binds the values of each call', async () => {
  const { db } = opened.ctx
  await db.insert(settings).values({ name: 'one', value: 1, updatedAt: new Date() })
  const found = await Promise.all(['one', 'two', 'one'].map((name) => findNames(db, { name })))
  expect(found).toEqual([[{ name: 'one' }], [], [{ name: 'one' }]])
  expect(buildCount).toBe(1)
})

test('prepared query: reads rows that its own transaction has written', async () => {
  const { db } = opened.ctx
  const found = await db.transaction(async (tx) => {
    await tx.insert(settings).values({ name: 'inside', value: 1, updatedAt: new Date() })
    return [await findNames(tx, { name: 'inside' }), await findNames(db, { name: 'inside' })]
  })
  expect(found).toEqual([[{ name: 'inside' }], []])
})

test('prepared statement: a value that is missing or wrong is an error, and the next call works', async () => {
  const { db } = opened.ctx
  await expect(double(db, {} as { value: number })).rejects.toThrow('No value for placeholder')
  await expect(double(db, { value: Number.NaN })).rejects.toThrow()
  expect(await double(db, { value: 21 })).toEqual([{ twice: 42 }])
})
