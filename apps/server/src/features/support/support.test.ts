import { supportRequest } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { createTestContext, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { supportMessages, supportReplies } from '../../db/schema/support.ts'
import type { Input } from '../../http/route.ts'
import { deleteOldSupportMessages } from './old-support-messages.ts'
import { createContactSupport } from './routes.ts'

const formFields = {
  name: 'Ada',
  email: 'ada@example.com',
  subject: 'My plan',
  category: 'billing',
  message: 'It has not started.\n\nTransaction 0x12',
} as const

const database = useTestDatabase()
let bed: TestContext
let clock: ReturnType<typeof fakeClock>

beforeEach(async () => {
  const mail = { supportEmail: 'help@example.com' }
  clock = fakeClock()
  bed = await createTestContext(testConfig({ databaseUrl: await database.createDatabase(), mail }), clock)
})
afterEach(async () => {
  await bed.close()
})

type SupportInput = Input<typeof import('@tocsin/protocol').endpoints['contactSupport']>

let contactSupport: ReturnType<typeof createContactSupport>
beforeEach(() => {
  contactSupport = createContactSupport()
})
let networkCount = 0
/** Sends a message without a session, by default from a network that was not used before. */
function sendMessage(
  body: Partial<SupportInput['body']> = {},
  ip = `10.1.${networkCount >> 8}.${networkCount++ & 255}`,
) {
  const input = { body: { ...formFields, ...body }, actor: null, request: { ip } } as SupportInput
  return contactSupport(bed.ctx, input)
}

describe('supportRequest: rejects', () => {
  const cases: [string, object][] = [
    ['no name', { name: '  ' }],
    ['no address', { email: 'ada' }],
    ['an address with a label of 64 characters', { email: `ada@${'a'.repeat(64)}.com` }],
    ['two lines of subject', { subject: 'Hi\r\nBcc: all@example.com' }],
    ['a line separator in the name', { name: 'A\u2028B' }],
    ['a name with a right-to-left override', { name: '\u202eadA' }],
    ['an invisible name', { name: '\u200b\u2060' }],
    ['an invisible subject', { subject: '\u3164\u200d' }],
    ['an invisible message', { message: '\u200b\n\u2800' }],
    ['an unknown category', { category: 'refund' }],
    ['an empty message', { message: '\n' }],
    ['a message of 5,001 characters', { message: 'a'.repeat(5001) }],
    ['an extra field', { isAdmin: true }],
  ]
  test.each(cases)('%s', (_name, change) => {
    expect(supportRequest.safeParse({ ...formFields, ...change }).success).toBe(false)
    expect(supportRequest.safeParse(formFields).success).toBe(true)
  })
})

test.each(['Ζωή', 'אבי \u200f', '李', '🔔', '!'])('supportRequest: accepts the name %s', (name) => {
  expect(supportRequest.safeParse({ ...formFields, name }).success).toBe(true)
})

test('support form limits: a network can send five messages an hour, also concurrently', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => sendMessage({}, '10.0.0.1')))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  await expect(sendMessage({ email: 'bob@example.com' }, '10.0.0.1')).rejects.toMatchObject({
    code: 'too_many_requests',
  })
  clock.advance(3_600_001)
  await sendMessage({}, '10.0.0.1')
  expect(await bed.ctx.db.$count(supportMessages)).toBe(6)
})

test('support form limits: a message that could not be stored does not count', async () => {
  const { db } = bed.ctx
  await db.execute(sql`alter table ${supportMessages} add constraint is_full check (false) not valid`)
  expect(await countAccepted(sendFrom('10.0.0.1', 5))).toBe(0)
  await db.execute(sql`alter table ${supportMessages} drop constraint is_full`)
  expect(await countAccepted(sendFrom('10.0.0.1', 6))).toBe(5)
})

test('support form limits: messages are not limited by the email address that they name', async () => {
  for (let index = 0; index < 5; index++) await sendMessage({}, '10.1.0.1')
  await sendMessage({}, '10.1.0.2')
  expect(await bed.ctx.db.$count(supportMessages)).toBe(6)
})

test('contactSupport: stores the message and emails it to the operator with escaped text', async () => {
  await sendMessage({ message: '<b>Where</b> is it?' })
  expect(await bed.ctx.db.select().from(supportMessages)).toMatchObject([
    { name: 'Ada', category: 'billing', message: '<b>Where</b> is it?', accountId: null },
  ])
  expect(bed.mails).toHaveLength(1)
  expect(bed.mails[0]).toMatchObject({ to: 'help@example.com', subject: '[Tocsin support] My plan' })
  expect(bed.mails[0]?.html).toContain('&lt;b&gt;Where&lt;/b&gt;')
  expect(bed.mails[0]?.text).toContain('ada@example.com')
})

const countAccepted = async (requests: Promise<unknown>[]) =>
  (await Promise.allSettled(requests)).filter(({ status }) => status === 'fulfilled').length
const sendFrom = (network: string, count: number) =>
  Array.from({ length: count }, (_, index) => sendMessage({ email: `${network}-${index}@example.com` }, network))

test('support form limits: five networks at their limit do not block other networks', async () => {
  for (const network of ['10.2.0.1', '10.2.0.2', '10.2.0.3', '10.2.0.4', '10.2.0.5']) {
    expect(await countAccepted(sendFrom(network, 30))).toBe(5)
  }
  await sendMessage({ email: 'victim@example.com' }, '10.3.0.1')
})

test('support form limits: one IPv6 /48 cannot use up the limit of all senders, even from many networks', async () => {
  for (let index = 0; index < 5; index++) await countAccepted(sendFrom(`2001:db8:1:${index}::1`, 5))
  expect(await bed.ctx.db.$count(supportMessages)).toBe(20)
  expect(await countAccepted(sendFrom('2001:db8:1:ffff::1', 1))).toBe(0)
  expect(await countAccepted(sendFrom('2001:db8:2:1::1', 6))).toBe(5)
})

test('support form limits: each network can send only one message an hour after 100 messages from other networks', async () => {
  // Sends in groups: with a hundred at the same time, some would get no database connection in time
  // on a busy machine.
  for (let index = 0; index < 20; index++) await Promise.all(sendFrom(`10.4.0.${index}`, 5))
  expect(await countAccepted(sendFrom('10.5.0.1', 3))).toBe(1)
  expect(await countAccepted(sendFrom('10.5.0.2', 3))).toBe(1)
  clock.advance(3_600_001)
  expect(await countAccepted(sendFrom('10.5.0.1', 3))).toBe(3)
})

describe('deleteOldSupportMessages', () => {
  /**
   * Adds support messages from 60 days ago: one with replies from 50 and 40 days ago, a closed one
   * and an open one.
   */
  async function addSupportMessages() {
    const { db } = bed.ctx
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS)
    const supportMessage = { ...formFields, at: daysAgo(60) }
    const [answeredMessage] = await db
      .insert(supportMessages)
      .values([
        { ...supportMessage, subject: 'answered', state: 'waiting' },
        { ...supportMessage, subject: 'closed', state: 'closed' },
        { ...supportMessage, subject: 'open' },
      ])
      .returning()
    const replyFields = { letterId: answeredMessage?.id ?? 0, kind: 'answer' as const, text: 'It has now.' }
    await db.insert(supportReplies).values([
      { ...replyFields, at: daysAgo(50) },
      { ...replyFields, at: daysAgo(40) },
    ])
  }
  const listSubjects = async () =>
    (await bed.ctx.db.select().from(supportMessages)).map(({ subject }) => subject).sort()

  test.each([
    [null, ['answered', 'closed', 'open']],
    [61, ['answered', 'closed', 'open']],
    [59, ['answered', 'open']],
    [41, ['answered', 'open']],
    [39, ['open']],
  ])('with LETTERS_DAYS of %s leaves %j', async (supportMessagesDays, expectedSubjects) => {
    await addSupportMessages()
    await deleteOldSupportMessages({ ...bed.ctx, config: { ...bed.ctx.config, supportMessagesDays } })
    expect(await listSubjects()).toEqual(expectedSubjects)
    expect(await bed.ctx.db.$count(supportReplies)).toBe(expectedSubjects.includes('answered') ? 2 : 0)
  })
})
