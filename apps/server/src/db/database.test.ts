import { readFile } from 'node:fs/promises'
import { startTcpProxy, type TcpProxy } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenDatabase, openDatabase } from './database.ts'
import { isDatabaseBusy, isDatabaseUnavailable } from './unavailable.ts'

const limits = { connectMs: 60_000, statementMs: 400, lockMs: 200, idleInTransactionMs: 500, silenceMs: 600 }
const MAX_CONNECTIONS = 3

const server = useTestDatabase()
let url: string
let proxy: TcpProxy
let opened: OpenDatabase

beforeAll(async () => {
  url = await server.createDatabase()
  proxy = await startTcpProxy(url)
  opened = openDatabase(proxy.url, () => {}, { limits, max: MAX_CONNECTIONS })
})
afterAll(async () => {
  await opened?.close()
  await proxy?.close()
})

const catchError = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)
const read = () => opened.db.execute(sql`select 1`)
/**
 * Uses all connections of the pool at the same time. Retries, because on a busy machine a query can
 * exceed the short limits of this test.
 */
const useAllConnections = () =>
  eventually(() =>
    Promise.all(Array.from({ length: MAX_CONNECTIONS }, () => opened.db.execute(sql`select pg_sleep(0.05)`))),
  )

test.each([
  ['over TCP', 'postgres://tocsin@127.0.0.1:9/none'],
  ['over a Unix socket', 'postgres://tocsin@%2Fnonexistent/none'],
])('openDatabase: queries fail as unavailable when the server is stopped, %s', async (_, stopped) => {
  const { db, close } = openDatabase(stopped, () => {}, { limits })
  const error = await catchError(db.execute(sql`select 1`))
  await close()
  expect(isDatabaseUnavailable(error)).toBe(true)
})

test('isDatabaseUnavailable: returns false when a file is missing', async () => {
  expect(isDatabaseUnavailable(await catchError(readFile('/nonexistent')))).toBe(false)
})

test('openDatabase: queries and transactions fail as unavailable when the network drops packets, and the pool recovers', async () => {
  for (const work of [read, () => opened.db.transaction(async () => {}), () => opened.db.transaction(() => read())]) {
    await useAllConnections()
    proxy.dropData()
    expect(isDatabaseUnavailable(await catchError(work()))).toBe(true)
    proxy.heal()
    await useAllConnections()
  }
})

test('openDatabase: a query timeout also closes connections that were idle for as long as the timeout', async () => {
  await useAllConnections()
  proxy.dropData()
  await catchError(read())
  expect(opened.pool.totalCount).toBe(0)
  proxy.heal()
  await eventually(read)
})

test('openDatabase: a statement or a lock wait is cancelled when it exceeds its timeout', async () => {
  // Disable the silence limit: a late answer of a busy server could exceed it before the timeouts
  // that this test checks.
  const { db, close } = openDatabase(url, () => {}, { limits: { ...limits, silenceMs: 0 } })
  const held = await server.openTransaction(url, 'lock table settings')
  expect(isDatabaseBusy(await catchError(db.execute(sql`select from settings`)))).toBe(true)
  await held.release()
  expect(isDatabaseBusy(await catchError(db.execute(sql`select pg_sleep(60)`)))).toBe(true)
  await close()
})

test('openDatabase: a transaction loses its locks when its client stays idle', async () => {
  const idleError = await catchError(
    opened.db.transaction(async (tx) => {
      await tx.execute(sql`lock table settings`)
      const waiting = openDatabase(url, () => {}, { limits: { ...limits, statementMs: 0, lockMs: 0, silenceMs: 0 } })
      await waiting.db.execute(sql`select from settings`)
      await waiting.close()
      await tx.execute(sql`select 1`)
    }),
  )
  expect(isDatabaseUnavailable(idleError)).toBe(true)
})
