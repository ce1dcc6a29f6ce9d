import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestSession } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { channelDeliveries, destinations } from '../src/db/schema/channels.ts'
import { logEntries } from '../src/db/schema/log.ts'
import { messageRecipients, messages } from '../src/db/schema/outreach.ts'
import { changeAllDestinations, setEscalation } from '../src/features/channels/delivery-settings.ts'
import { classifyAs } from '../src/features/channels/kinds/kind.ts'
import { sendNotice } from '../src/features/channels/notices.ts'
import { recordResults } from '../src/features/channels/record-answers.ts'
import { createSecrets, sealSecrets } from '../src/features/channels/secrets.ts'
import { removeDestinations } from '../src/features/channels/service.ts'
import { readDestinations } from '../src/features/channels/store.ts'
import { sendBatch } from '../src/features/outreach/run-messages.ts'
import { type AdminFixture, createAdminFixture } from './admin-fixture.ts'

const createId = (lastDigit: number) => `00000000-0000-4000-8000-00000000000${lastDigit}`
const [LOWER_ID, HIGHER_ID] = [createId(1), createId(2)]
const [FIRST_ACCOUNT_ID, SECOND_ACCOUNT_ID] = [createId(3), createId(4)]

const database = useTestDatabase()
const endpoint = createServer((_request, response) => void response.writeHead(410).end())
let fixture: AdminFixture

beforeEach(async () => {
  fixture = await createAdminFixture(database)
  await once(endpoint.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  endpoint.close()
  await fixture.box.close()
})

/** Adds the destination with the higher id first, so the order of ids is not that of creation. */
async function addDestinations(accountOfLowerId: string): Promise<void> {
  const { ctx } = fixture.box
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`
  for (const [id, accountId] of [
    [HIGHER_ID, FIRST_ACCOUNT_ID],
    [LOWER_ID, accountOfLowerId],
  ] as const) {
    const sealed = sealSecrets(ctx.config, id, createSecrets(url))
    const values = { id, accountId, kind: 'webhook' as const, name: 'Bot', host: '127.0.0.1', sealed }
    const createdAt = fixture.clock.now()
    await ctx.db.insert(destinations).values({ ...values, state: 'on', notice: 'A notice', createdAt })
    fixture.clock.advance(1)
  }
}

/**
 * Counts the sessions that wait for a lock. `countWaiting` of the held transaction would not see
 * sessions that began after its first call.
 */
async function countWaiting(): Promise<number | undefined> {
  const { rows } = await fixture.box.ctx.db.execute<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return rows[0]?.count
}

const createOwner = async () => ({
  ...(await startTestSession(fixture.box.ctx, FIRST_ACCOUNT_ID)),
  requestId: 'request-1',
})

async function recordGone(): Promise<void> {
  const { ctx } = fixture.box
  const at = fixture.clock.now()
  const bytes = new Uint8Array(1)
  await ctx.db.insert(logEntries).values({ index: 0, bytes, leafHash: bytes, signature: '0x', appendedAt: at })
  const row = { destinationId: HIGHER_ID, logIndex: 0, seq: 1, rank: 0, reason: '', createdAt: at, nextAt: at }
  const [delivery] = await ctx.db
    .insert(channelDeliveries)
    .values({ ...row, state: 'waiting' })
    .returning()
  if (!delivery) throw new Error('The delivery was not inserted')
  const answer = { status: 410, response: '', tookMs: 1, retryAfterMs: null }
  const classification = classifyAs('gone', 'Returned 410')
  await recordResults(ctx, [{ delivery, rowIds: [delivery.id], answer, classification }])
}

async function sendNoticeToGone(): Promise<void> {
  const { ctx } = fixture.box
  const destination = (await readDestinations(ctx.db, [HIGHER_ID])).get(HIGHER_ID)
  if (destination) await sendNotice(ctx, destination, new AbortController().signal, new Map())
}

async function sendMessage(): Promise<void> {
  const { ctx } = fixture.box
  const values = { via: 'channel', kind: 'service', segment: { kind: 'all' }, subject: 'News', text: 'Text' } as const
  const [message] = await ctx.db
    .insert(messages)
    .values({ ...values, total: 2, createdAt: fixture.clock.now() })
    .returning()
  const recipient = { messageId: message?.id ?? '', state: 'waiting' as const }
  await ctx.db
    .insert(messageRecipients)
    .values([FIRST_ACCOUNT_ID, SECOND_ACCOUNT_ID].map((accountId) => ({ ...recipient, accountId })))
  await sendBatch(ctx, 20)
}

test.each<[string, run: () => Promise<unknown>, accountOfLowerId?: string]>([
  [
    'a change of all destinations',
    async () => changeAllDestinations(fixture.box.ctx, await createOwner(), { paused: true }),
  ],
  [
    'a change of the escalation',
    async () => setEscalation(fixture.box.ctx, await createOwner(), [HIGHER_ID, LOWER_ID]),
  ],
  [
    'the deletion of several destinations',
    () =>
      fixture.box.ctx.db.transaction((tx) =>
        removeDestinations(
          tx,
          { accountId: FIRST_ACCOUNT_ID, requestId: 'request-1' },
          [HIGHER_ID, LOWER_ID],
          fixture.clock.now(),
        ),
      ),
  ],
  ['the result of a destination that is gone', recordGone],
  ['a notice to a destination that is gone', sendNoticeToGone],
  ['a message to one account', sendMessage],
  ['a message to several accounts', sendMessage, SECOND_ACCOUNT_ID],
])(
  'destination locks: %s takes them in the order of ids, so that two transactions do not deadlock',
  async (_name, run, accountOfLowerId = FIRST_ACCOUNT_ID) => {
    await fixture.addAccount('First', { id: FIRST_ACCOUNT_ID })
    await fixture.addAccount('Second', { id: SECOND_ACCOUNT_ID })
    await fixture.addPeriod(FIRST_ACCOUNT_ID, -1, 5)
    await addDestinations(accountOfLowerId)
    const { databaseUrl } = fixture.box.ctx.config
    const held = await database.openTransaction(
      databaseUrl,
      `select from destinations where id = '${LOWER_ID}' for no key update`,
    )
    const running = run()
    try {
      await expect.poll(countWaiting).toBe(1)
      // Fails if the higher id is locked by the transaction that waits for the lower one.
      await database.execute(databaseUrl, `select from destinations where id = '${HIGHER_ID}' for update nowait`)
    } finally {
      await held.release()
      await running
    }
  },
)
