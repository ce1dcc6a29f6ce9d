import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordActivity } from '../src/activity-log.ts'
import { operator, recordAudit } from '../src/audit-log.ts'
import { systemClock } from '../src/clock.ts'
import { auditEntries } from '../src/db/schema/audit.ts'
import { securityEvents } from '../src/db/schema/security.ts'
import { exportSecurityEvents, listOwnSecurityEvents, listSecurityEvents } from '../src/features/security/routes.ts'
import { countOutgoing, deleteEventsBefore, dropOutgoing } from '../src/features/security/store.ts'
import { deleteOldEntries, forwardSecurityEvents, syslogDrops } from '../src/features/security/write-out.ts'
import { deleteAccount } from '../src/features/sessions/account-store.ts'
import { recordSecurityEvents } from '../src/security-events.ts'
import { createSecurityQueue } from '../src/security-queue.ts'
import { type AdminFixture, createAdminFixture } from './admin-fixture.ts'

const database = useTestDatabase()
let fixture: AdminFixture
let root: string

beforeAll(async () => {
  fixture = await createAdminFixture(database)
  root = await fixture.addAccount('Root', { role: 'owner' })
})
afterAll(() => fixture?.box.close())

const getDb = () => fixture.box.ctx.db
const getNow = () => fixture.clock.now()
const recordSignIn = (accountId: string, network = '192.0.2.7') =>
  recordActivity(getDb(), {
    accountId,
    kind: 'signed_in',
    detail: 'Signed in by password and passkey',
    at: getNow(),
    network,
  })
const listEvents = async (query: object = {}) =>
  (await listSecurityEvents(fixture.box.ctx, fixture.ask(root, { query: { limit: 50, ...query } }))).items

test('security log: the database refuses updates, deletes of young events, and truncation', async () => {
  await recordSecurityEvents(getDb(), [{ at: new Date(), category: 'sign-in', kind: 'signed_in', accountId: root }])
  for (const statement of [
    sql`update security_events set detail = 'x'`,
    sql`delete from security_events`,
    sql`truncate security_events cascade`,
  ]) {
    await expect(getDb().execute(statement)).rejects.toThrow()
  }
  expect(await listEvents({ search: 'signed_in' })).toHaveLength(1)
})

test('security log: a deletion keeps events younger than the minimum age, even if the given cutoff is later', async () => {
  const oldAt = new Date(Date.now() - 400 * DAY_MS)
  await recordSecurityEvents(getDb(), [
    { at: oldAt, category: 'refused', kind: 'forbidden', detail: 'old' },
    { at: new Date(Date.now() - 80 * DAY_MS), category: 'refused', kind: 'forbidden', detail: 'young' },
  ])
  await deleteEventsBefore(getDb(), new Date(), 1_000)
  expect((await listEvents({ category: 'refused' })).map(({ detail }) => detail)).toEqual(['young'])
})

const deleteOldNow = (auditLogDays: number | null) => {
  const { ctx } = fixture.box
  const config = { ...ctx.config, auditLogDays }
  return deleteOldEntries({ ...ctx, clock: systemClock, config }, new AbortController().signal)
}

test('security log: old events are deleted in batches, so that no statement times out', async () => {
  await getDb().execute(sql`insert into security_events (at, category, kind, detail)
    select now() - interval '400 days', 'refused', 'forbidden', 'many' from generate_series(1, 5001)`)
  await getDb().execute(sql`create function refuse_many() returns trigger language plpgsql as $$
    begin if (select count(*) from gone) > 5000 then raise exception 'too many rows'; end if; return null; end $$`)
  await getDb().execute(sql`create trigger no_large_deletion after delete on security_events
    referencing old table as gone for each statement execute function refuse_many()`)
  try {
    await deleteOldNow(null)
    expect(await getDb().$count(securityEvents, eq(securityEvents.detail, 'many'))).toBe(0)
  } finally {
    await getDb().execute(sql`drop trigger no_large_deletion on security_events`)
  }
})

test('security log: old audit entries are deleted even if the deletion of security events fails', async () => {
  const oldAt = new Date(Date.now() - 400 * DAY_MS)
  await recordAudit(getDb(), { ...operator, action: 'feed_saved', subject: 'old entry', at: oldAt })
  await getDb().execute(sql`create function refuse_deletion() returns trigger language plpgsql as $$
    begin raise exception 'the deletion fails'; end $$`)
  await getDb().execute(sql`create trigger no_deletion before delete on security_events
    for each statement execute function refuse_deletion()`)
  try {
    await expect(deleteOldNow(365)).rejects.toMatchObject({ cause: { message: 'the deletion fails' } })
    expect(await getDb().$count(auditEntries, eq(auditEntries.subject, 'old entry'))).toBe(0)
  } finally {
    await getDb().execute(sql`drop trigger no_deletion on security_events`)
  }
})

test('security log: changes of access and admin actions are events, other activities are not', async () => {
  const yvonne = await fixture.addAccount('Yvonne')
  await recordActivity(getDb(), {
    accountId: yvonne,
    kind: 'email_changed',
    detail: 'Changed to new@example.com',
    at: getNow(),
  })
  await recordActivity(getDb(), {
    accountId: yvonne,
    kind: 'settings_changed',
    detail: 'Density compact',
    at: getNow(),
  })
  const by = { actorId: root, requestId: 'r-9' }
  await recordAudit(getDb(), { ...by, action: 'role_changed', subject: yvonne, at: getNow() })
  expect(await listEvents({ search: 'Yvonne' })).toMatchObject([
    { category: 'admin', kind: 'role_changed', account: { id: root }, subject: { id: yvonne }, requestId: 'r-9' },
    { category: 'access', kind: 'email_changed', account: { id: yvonne, name: 'Yvonne' }, detail: '' },
  ])
})

test('security log: a transaction that rolls back leaves no event', async () => {
  const countBefore = (await listEvents({ search: 'signed_in' })).length
  const failedTransaction = getDb().transaction(async (tx) => {
    await recordActivity(tx, { accountId: root, kind: 'signed_in', detail: '', at: getNow() })
    throw new Error('stop')
  })
  await expect(failedTransaction).rejects.toThrow('stop')
  expect(await listEvents({ search: 'signed_in' })).toHaveLength(countBefore)
})

test('security log: the list for an account owner contains only events of that account, and no admin actions', async () => {
  const eve = await fixture.addAccount('Eve')
  await recordSignIn(eve, '198.51.100.4')
  const listOwnEvents = async (who: string) =>
    (await listOwnSecurityEvents(fixture.box.ctx, fixture.ask(who, { query: { limit: 50 } }))).items
  expect(await listOwnEvents(eve)).toMatchObject([{ kind: 'signed_in', network: '198.51.100.4' }])
  expect(JSON.stringify(await listOwnEvents(eve))).not.toContain(root)
  expect((await listOwnEvents(root)).every(({ category }) => category !== 'admin')).toBe(true)
})

test('security log: the last page has no cursor when it is full', async () => {
  const ida = await fixture.addAccount('Ida')
  for (const network of ['192.0.2.1', '192.0.2.2']) await recordSignIn(ida, network)
  const listPages = async (list: typeof listOwnSecurityEvents | typeof listSecurityEvents, query: object) => {
    const cursors: (string | null | undefined)[] = []
    for (let cursor: string | null | undefined; cursor !== null; cursors.push(cursor)) {
      const page = await list(fixture.box.ctx, fixture.ask(ida, { query: { limit: 1, cursor, ...query } }))
      cursor = page.nextCursor
    }
    return cursors
  }
  expect(await listPages(listOwnSecurityEvents, {})).toEqual([expect.any(String), null])
  expect(await listPages(listSecurityEvents, { search: 'Ida' })).toEqual([expect.any(String), null])
})

test('security log: events of a deleted account stay, without the account', async () => {
  const goneId = await fixture.addAccount('Gone')
  await recordSignIn(goneId, '203.0.113.77')
  await deleteAccount(getDb(), goneId)
  const [event] = await listEvents({ search: '203.0.113.77' })
  expect(event).toMatchObject({ kind: 'signed_in', account: null })
  expect(JSON.stringify(event)).not.toContain(goneId)
})

test('security log: the export has one JSON object for each line and is audited', async () => {
  const file = await exportSecurityEvents(fixture.box.ctx, fixture.ask(root, { query: { category: 'sign-in' } }))
  const lines = (await text(file))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.length).toBeGreaterThan(2)
  expect(new Set(lines.map(({ category }) => category))).toEqual(new Set(['sign-in']))
  expect((await fixture.audited()).at(-1)).toMatchObject(['security_log_exported', null, null])
})

test('security queue: keeps 1,000 events while the database is unreachable, and counts the dropped ones', async () => {
  const { logger } = fixture.box.ctx
  let isAway = true
  const failingDb = new Proxy(getDb(), {
    get: (target, name) =>
      isAway && name === 'transaction'
        ? async () => Promise.reject(new Error('Connection terminated'))
        : Reflect.get(target, name),
  })
  const queue = createSecurityQueue(failingDb, logger)
  for (let n = 0; n < 1_200; n++)
    queue.add({ at: getNow(), category: 'refused', kind: 'foreign_origin', detail: `${n}`, isLogged: true })
  await queue.flush()
  expect(queue.dropped()).toBe(200)
  isAway = false
  await queue.flush()
  await queue.close()
  const { rows } = await getDb().execute(
    sql`select count(*)::int as n from security_events where kind = 'foreign_origin'`,
  )
  expect(rows).toEqual([{ n: 1_000 }])
})

test('security queue: drops and counts an event that the database refuses, and stores the other events', async () => {
  const queue = createSecurityQueue(getDb(), fixture.box.ctx.logger)
  const event = { at: getNow(), category: 'sign-in', kind: 'factor_failed' } as const
  queue.add({ ...event, detail: 'first' })
  queue.add({ ...event, detail: 'refused', requestId: 'r\0' })
  queue.add({ ...event, detail: 'last' })
  await queue.close()
  expect(queue.dropped()).toBe(1)
  const details = (await listEvents({ search: 'factor_failed' })).map(({ detail }) => detail)
  expect(details).toEqual(['last', 'first'])
})

test('security log: control characters in texts become spaces, and long texts are truncated', async () => {
  const event = { at: getNow(), category: 'refused', kind: 'passkey_refused' } as const
  await recordSecurityEvents(getDb(), [
    { ...event, detail: `a\0b${'c'.repeat(400)}`, network: '192.0.2.9\0' },
    { ...event, detail: 'next' },
  ])
  expect(await listEvents({ search: 'passkey_refused' })).toMatchObject([
    { detail: 'next', network: null },
    { detail: `a b${'c'.repeat(297)}`, network: '192.0.2.9 ' },
  ])
})

test('security log: the outage is logged once when events cannot be written out, and they are written out afterwards', async () => {
  const { ctx } = fixture.box
  const logLines: { fields: { target?: string }; message: string }[] = []
  const writeLine = (fields: object, message: string) => void logLines.push({ fields, message })
  const logger = Object.assign(Object.create(ctx.logger), { debug: () => {}, info: writeLine, warn: writeLine })
  const findFields = (message: string) => logLines.flatMap((line) => (line.message === message ? [line.fields] : []))
  const abort = new AbortController()
  await recordSignIn(root, '192.0.2.201')
  await getDb().execute(sql`alter table security_outbox rename to lost_outbox`)
  const running = forwardSecurityEvents({ ...ctx, logger }, abort.signal)
  const listTargets = (message: string) => findFields(message).map(({ target }) => target)
  const beginMessage = 'security events cannot be written out'
  try {
    await expect.poll(() => listTargets(beginMessage).sort()).toEqual(['line', 'syslog'])
  } finally {
    await getDb().execute(sql`alter table lost_outbox rename to security_outbox`)
  }
  await expect.poll(() => countOutgoing(getDb(), 'line')).toBe(0)
  expect(findFields('security event').at(-1)).toMatchObject({ event: 'signed_in', network: '192.0.2.201' })
  expect(listTargets(beginMessage)).toHaveLength(2)
  // An outage is over when no attempt has failed for a minute.
  fixture.clock.advance(MINUTE_MS)
  await recordSignIn(root)
  const endMessage = 'security events can be written out again'
  await expect.poll(() => listTargets(endMessage).sort()).toEqual(['line', 'syslog'])
  abort.abort()
  await running
})

test('syslog export: while the receiver is down, events reach the server log, and later the receiver gets all of them', async () => {
  const lines: string[] = []
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  const port = typeof address === 'object' && address ? address.port : 0
  probe.close()
  await once(probe, 'close')
  const { ctx } = fixture.box
  const securityLog = { keptDays: 365, syslog: { protocol: 'tcp', host: '127.0.0.1', port } } as const
  const abort = new AbortController()
  await recordSignIn(root, '192.0.2.200')
  const waitingCount = await countOutgoing(getDb(), 'syslog')
  const logLines: { level: string; fields: object; message: string }[] = []
  const listMessages = (level: string) => logLines.flatMap((line) => (line.level === level ? [line.message] : []))
  const createLog = (level: string) => (fields: object, message: string) =>
    void logLines.push({ level, fields, message })
  const levels = { debug: createLog('debug'), info: createLog('info'), warn: createLog('warn') }
  const logger = Object.assign(Object.create(ctx.logger), levels)
  const running = forwardSecurityEvents({ ...ctx, logger, config: { ...ctx.config, securityLog } }, abort.signal)
  // Security events are written to the server log even though the syslog receiver is unreachable.
  await expect.poll(() => countOutgoing(getDb(), 'line')).toBe(0)
  const securityLines = logLines.filter(({ message }) => message === 'security event')
  expect(securityLines.at(-1)?.fields).toMatchObject({ event: 'signed_in', network: '192.0.2.200' })
  expect(await countOutgoing(getDb(), 'syslog')).toBe(waitingCount)
  // Only the first failed attempt is a warning.
  const beginMessage = 'the syslog receiver does not accept messages'
  const listFailures = () => logLines.filter(({ message }) => message === beginMessage)
  await expect.poll(() => listFailures().length, { timeout: 30_000 }).toBeGreaterThan(1)
  expect(listMessages('warn')).toEqual([beginMessage])
  const receiver = createServer(
    (socket: Socket) => void socket.on('data', (bytes) => lines.push(String(bytes))),
  ).listen(port, '127.0.0.1')
  await expect.poll(() => countOutgoing(getDb(), 'syslog'), { timeout: 30_000 }).toBe(0)
  await expect.poll(() => lines.join('').match(/\d+ <\d+>1 /g)?.length).toBe(waitingCount)
  expect(lines.join('')).toContain(`account="${root}" network="192.0.2.200"`)
  // An outage is over when no attempt has failed for a minute.
  fixture.clock.advance(MINUTE_MS)
  await recordSignIn(root)
  await expect.poll(() => listMessages('info')).toContain('the syslog receiver accepts messages again')
  abort.abort()
  await running
  receiver.close()
})

test('syslog export: drops waiting messages that exceed the limit', async () => {
  expect(syslogDrops.total).toBe(0)
  for (let n = 0; n < 5; n++) await recordSignIn(root)
  expect(await dropOutgoing(getDb(), 'syslog', 3)).toBe(2)
  expect(await countOutgoing(getDb(), 'syslog')).toBe(3)
  expect(await dropOutgoing(getDb(), 'syslog', 3)).toBe(0)
})

test('security log: an export is audited before its first page is read, and reads later pages only on demand', async () => {
  // Insert old events, because events of the last 90 days cannot be deleted.
  await getDb().execute(sql`
    insert into security_events (at, category, kind, detail)
    select '2020-01-01', 'alarm', 'filler', '' from generate_series(1, 5000)`)
  const file = await exportSecurityEvents(fixture.box.ctx, fixture.ask(root, { query: { search: 'filler' } }))
  expect((await fixture.audited()).at(-1)).toEqual(['security_log_exported', null, null])
  let lines = 0
  for await (const page of file) {
    if (lines === 0) await getDb().delete(securityEvents).where(eq(securityEvents.kind, 'filler'))
    lines += String(page).split('\n').length - 1
  }
  expect(lines).toBeLessThan(4_000)
})
