import { readdirSync } from 'node:fs'
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { logTables } from './store.ts'

const folder = new URL('../../db/schema/', import.meta.url)
const modules: Record<string, unknown>[] = await Promise.all(
  readdirSync(folder).map((name) => import(new URL(name, folder).href)),
)
const tables = modules.flatMap((module) => Object.values(module)).filter((value) => is(value, PgTable))

const listedNames = new Set(logTables.map(getTableName))

test('logTables: every table that references a listed table is listed', () => {
  const referencingNames = tables
    .filter((table) =>
      getTableConfig(table).foreignKeys.some((key) => listedNames.has(getTableName(key.reference().foreignTable))),
    )
    .map(getTableName)
  expect(referencingNames).toContain('alert_acknowledgements')
  expect(referencingNames.filter((name) => !listedNames.has(name))).toEqual([])
})

test('logTables: no account, payment or subscription is deleted with the log', () => {
  for (const name of ['accounts', 'wallets', 'orders', 'payments', 'subscriptions', 'destinations', 'audit_entries']) {
    expect(tables.map(getTableName)).toContain(name)
    expect(listedNames).not.toContain(name)
  }
})
