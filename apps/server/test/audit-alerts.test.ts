import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Tests that alert actions are audited in the same transaction and that rejected ones leave no
 * entry.
 */

const parts = useTestDatabaseAndChain()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer(parts)
})
afterAll(() => server?.close())

test('audit log: records created, broadcast, corrected and retracted alerts', async () => {
  const admin = await server.signInAdmin()
  const content = { asset: 'BTC/USDT', summary: 'Volume rose', confidence: 90, priority: 'high' } as const
  const { alert } = await admin.call('createAlert', { body: { ...content, broadcast: false } })
  const params = { id: alert.id }
  await admin.call('broadcastAlert', { params })
  const { alert: corrected } = await admin.call('correctAlert', { params, body: { ...content, confidence: 80 } })
  const { alert: retracted } = await admin.call('retractAlert', { params, body: { reason: 'A wrong feed' } })
  const missing = { params: { id: '00000000-0000-4000-8000-000000000000' } }
  await expect(admin.call('broadcastAlert', missing)).rejects.toMatchObject({ code: 'not_found' })
  await expect(admin.call('retractAlert', { params, body: { reason: 'Again' } })).rejects.toMatchObject({ status: 409 })

  const { items } = await admin.call('listAudit')
  expect(items.map(({ action, subject, detail }) => [action, subject, detail]).reverse()).toEqual([
    ['alert_created', alert.id, { broadcast: false }],
    ['alert_broadcast', alert.id, {}],
    ['alert_corrected', corrected.id, { target: alert.id, broadcast: true }],
    ['alert_retracted', retracted.id, { target: alert.id, broadcast: true }],
  ])
  const { items: alerts, matching } = await admin.call('pageAlerts', { query: { search: 'btc vol' } })
  // The retraction does not match the search, because its summary is “A wrong feed”.
  expect([alerts.length, matching]).toEqual([2, 2])
  expect((await admin.call('pageAlerts', { query: { search: 'eth' } })).items).toEqual([])
  expect(await admin.call('countRecipients')).toEqual({ connected: 0, entitled: 1 })
})

test('admin search: finds words with other letters than a to z, in a database with the locale C', async () => {
  const admin = await server.signInAdmin()
  const content = { asset: 'BTC/USDT', summary: 'Orders of Müller', confidence: 90, priority: 'low' } as const
  await admin.call('createAlert', { body: { ...content, broadcast: false } })
  const { items, matching } = await admin.call('pageAlerts', { query: { search: 'müller' } })
  expect(items.map(({ summary }) => summary)).toEqual(['Orders of Müller'])
  expect(matching).toBe(1)
})

test('alert history: counts broadcasts with first and last time, and the audit log names the priority', async () => {
  const admin = await server.signInAdmin()
  const content = { asset: 'SOL/USDT', summary: 'Sent again and again', confidence: 90, priority: 'low' } as const
  const { alert } = await admin.call('createAlert', { body: { ...content, broadcast: false } })
  const findAlert = async () => (await admin.call('pageAlerts', { query: { search: alert.id } })).items[0]
  expect(await findAlert()).toMatchObject({ broadcastAt: null, broadcasts: { count: 0, lastAt: null } })
  await admin.call('broadcastAlert', { params: { id: alert.id } })
  const alertOnce = await findAlert()
  expect(alertOnce?.broadcasts).toEqual({ count: 1, lastAt: alertOnce?.broadcastAt })
  await admin.call('broadcastAlert', { params: { id: alert.id } })
  const alertTwice = await findAlert()
  expect(alertTwice).toMatchObject({ broadcastAt: alertOnce?.broadcastAt, broadcasts: { count: 2 } })
  expect(Date.parse(alertTwice?.broadcasts.lastAt ?? '')).toBeGreaterThan(Date.parse(alertOnce?.broadcastAt ?? ''))
  const { items } = await admin.call('listAudit', { query: { action: 'alert_broadcast', limit: 1 } })
  expect(items).toMatchObject([{ alert: { logIndex: alert.logIndex, asset: 'SOL/USDT', priority: 'low' } }])
})

test('lists of alerts and of the audit log: a full page has no cursor when it is the last one', async () => {
  const admin = await server.signInAdmin()
  const readAlerts = (limit: number) => admin.call('pageAlerts', { query: { limit } })
  const readAudit = (limit: number) => admin.call('listAudit', { query: { limit } })
  for (const readPage of [readAlerts, readAudit]) {
    const { items } = await readPage(100)
    expect((await readPage(items.length)).nextCursor).toBeNull()
    expect((await readPage(items.length - 1)).nextCursor).not.toBeNull()
  }
})

test('system status: measures every component', async () => {
  const admin = await server.signInAdmin()
  await eventually(async () =>
    expect(await admin.call('adminSystem')).toMatchObject({
      feed: { state: 'off', endpoint: '', isQuiet: false },
      anchor: { isLow: false, anchorsLeft: expect.any(Number), balanceWei: expect.any(String) },
      payments: { behindBlocks: expect.any(Number), trouble: null, unmatchedOpen: 0 },
      database: { latencyMs: expect.any(Number) },
      staff: { needsFactor: server.ctx.config.adminFactor.isRequired, earlierAccess: [] },
    }),
  )
})

test('user export: is sent as an attachment', async () => {
  const admin = await server.signInAdmin()
  const answer = await fetch(`${server.url}/api/admin/export/users`, { headers: { cookie: admin.cookie() } })
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="tocsin-users.csv"')
  expect(await answer.text()).toContain(server.firstAdmin.email)
})
