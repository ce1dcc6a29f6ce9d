import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from './database.ts'

const database = useTestDatabase()
let opened: TestContext

beforeAll(async () => {
  opened = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  await opened.ctx.db.execute(sql`create table marks (name text primary key)`)
})
afterAll(() => opened?.close())

const insertMark = async (tx: Tx, name: string): Promise<void> => {
  await tx.execute(sql`insert into marks values (${name})`)
}
const findMarks = async (): Promise<string[]> => {
  const { rows } = await opened.ctx.db.execute<{ name: string }>(sql`select name from marks order by name`)
  return rows.map(({ name }) => name)
}

test('pipeline: commits all writes when the callback ends, and all earlier writes when the callback calls commit', async () => {
  const { db } = opened.ctx
  await db.pipeline((tx) => insertMark(tx, 'ended'))
  await db.pipeline(async (tx, { commit }) => {
    await Promise.all([insertMark(tx, 'sent'), Promise.resolve().then(commit)])
  })
  expect(await findMarks()).toEqual(['ended', 'sent'])
})

test('pipeline: a failed statement before the commit rolls everything back, and the commit rejects', async () => {
  const marksBefore = await findMarks()
  const outcomes = await opened.ctx.db
    .pipeline(async (tx, { commit }) => {
      const writes = [insertMark(tx, 'lost'), insertMark(tx, 'ended')]
      return Promise.allSettled([...writes, Promise.resolve().then(commit)])
    })
    .catch((error: Error) => error.message)
  expect(outcomes).toBe('The transaction was rolled back')
  expect(await findMarks()).toEqual(marksBefore)
})

test('pipeline: rolls back and releases the connection when the callback throws', async () => {
  const marksBefore = await findMarks()
  for (let time = 0; time < 20; time += 1) {
    const attempt = opened.ctx.db.pipeline(async (tx) => {
      await insertMark(tx, 'lost')
      throw new Error('stop')
    })
    await expect(attempt).rejects.toThrow('stop')
  }
  expect(await findMarks()).toEqual(marksBefore)
})

test('pipeline: rejects before anything is written when the connection is lost at the start', async () => {
  const marksBefore = await findMarks()
  const attempt = opened.ctx.db.pipeline(async (tx, { begun }) => {
    await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => {})
    await begun
    await insertMark(tx, 'lost')
  })
  await expect(attempt).rejects.toThrow()
  expect(await findMarks()).toEqual(marksBefore)
})
