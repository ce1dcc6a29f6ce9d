import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { startTestSession } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { eq } from 'drizzle-orm'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LeaseLost } from '../src/db/leader.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { noLimits } from '../src/features/channels/http-message.ts'
import { sendMailMessage } from '../src/features/channels/send-mail.ts'
import { createDestination } from '../src/features/channels/service.ts'
import { confirmDestination } from '../src/features/channels/test-destination.ts'
import { type ChannelFixture, type DestinationOwner, startChannelFixture } from './channel-fixture.ts'
import { send } from './raw-client.ts'

interface ReceivedMail {
  to: string
  headers: Map<string, string>
  text: string
}

let smtp: SMTPServer
let fixture: ChannelFixture
const receivedMails: ReceivedMail[] = []
/** Responses with which the mail server rejects recipients, by address. */
const refusals = new Map<string, { code: number; line: string }>()
/**
 * All text that the mail server got for recipients in `recipientChecks`, including incomplete
 * emails.
 */
const mailTexts: string[] = []
/**
 * Functions that run before the mail server accepts a recipient, by the address of the recipient.
 */
const recipientChecks = new Map<string, () => Promise<unknown>>()

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onRcptTo({ address }, _session, done) {
      await recipientChecks.get(address)?.()
      const refusal = refusals.get(address)
      done(refusal ? Object.assign(new Error(refusal.line), { responseCode: refusal.code }) : null)
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (recipientChecks.has(envelope.rcptTo[0]?.address ?? '')) mailTexts.push(chunk.toString())
      })
      stream.on('end', () => {
        receivedMails.push({
          to: envelope.rcptTo[0]?.address ?? '',
          ...parseMail(Buffer.concat(chunks).toString('utf8')),
        })
        done(null)
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as AddressInfo
  const mail = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'Tocsin <tocsin@example.com>' }
  fixture = await startChannelFixture(new Date('2026-11-24T12:00:00.000Z'), { mail })
})
afterAll(async () => {
  await fixture?.close()
  await new Promise<void>((resolve) => smtp.close(resolve))
})

/**
 * Parses an email. Header names become lower case, and quoted-printable is decoded in the whole
 * body.
 */
function parseMail(source: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const [head = '', ...rest] = source.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]+: */, '')]),
  )
  const body = rest.join('\r\n\r\n').replace(/=\r\n/g, '')
  return {
    headers,
    text: body.replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  }
}

const listMailsTo = (address: string) => receivedMails.filter(({ to }) => to === address)
const listSubjectsTo = (address: string) => listMailsTo(address).map(({ headers }) => headers.get('subject'))

async function addAddress(address: string): Promise<DestinationOwner> {
  const account = await fixture.signIn()
  const { client } = account
  const { destination } = await client.call('createDestination', { body: { kind: 'email', name: 'Mail', address } })
  return { ...account, id: destination.id }
}

async function confirmAddress({ client, id }: DestinationOwner, address: string): Promise<void> {
  expect(await client.call('confirmDestination', { params: { id } })).toMatchObject({ isDelivered: true, status: 250 })
  const code = /\b[A-Z2-9]{8}\b/.exec(listMailsTo(address).at(-1)?.text ?? '')?.[0] ?? ''
  await client.call('confirmDestination', { params: { id }, body: { code } })
}

async function addConfirmedAddress(address: string): Promise<DestinationOwner> {
  const own = await addAddress(address)
  await confirmAddress(own, address)
  return own
}

const readState = async ({ client }: DestinationOwner) => (await client.call('listDestinations'))[0]?.state

test('an address gets no alert before it is confirmed with the code that was emailed to it', async () => {
  const address = 'unconfirmed@example.com'
  for (const wrongAddress of ['', 'a@b', 'a@b.example, c@d.example', 'a@b.example\r\nbcc: c@d.example']) {
    await expect(addAddress(wrongAddress), wrongAddress).rejects.toMatchObject({ status: 400 })
  }
  const own = await addAddress(address)
  const { logIndex } = await fixture.issue('before the code')
  const confirmed = await addConfirmedAddress('first@example.com')
  const next = await fixture.issue('after the code')
  await fixture.expectRow(confirmed, next.logIndex, { state: 'delivered' })
  expect(await fixture.ledgerOf(own, logIndex)).toBeUndefined()
  expect(listMailsTo(address)).toEqual([])
  await own.client.call('confirmDestination', { params: { id: own.id } })
  const wrongConfirmation = own.client.call('confirmDestination', {
    params: { id: own.id },
    body: { code: 'AAAAAAAA' },
  })
  await expect(wrongConfirmation).rejects.toMatchObject({ code: 'code_wrong' })
  expect(await readState(own)).toBe('unconfirmed')
})

test('at most three accounts can have a valid code at the same address', async () => {
  const address = 'victim@example.com'
  const requestCode = async (spelling: string) => {
    const { client, id } = await addAddress(spelling)
    return client.call('confirmDestination', { params: { id } })
  }
  for (const spelling of [address, 'Victim@example.com', address]) await requestCode(spelling)
  await expect(requestCode('victim@Example.com')).rejects.toMatchObject({ code: 'too_many_tests', status: 429 })
  expect(receivedMails.filter(({ to }) => to.toLowerCase() === address)).toHaveLength(3)
})

test('an alert arrives by email with an unsubscribe link, and the mail server’s response is stored', async () => {
  const address = 'alerts@example.com'
  const own = await addConfirmedAddress(address)
  const { logIndex } = await fixture.issue('<b>A spike</b>', { asset: 'BTC/USDT' })
  await fixture.expectRow(own, logIndex, { state: 'delivered', attempts: [{ status: 250 }] })
  const mail = listMailsTo(address).at(-1)
  expect(mail?.headers.get('subject')).toBe('High, BTC/USDT, Rare type 71.5%')
  expect(mail?.headers.get('list-unsubscribe')).toMatch(/^<http:\/\/localhost:\d+\/api\/channels\/unsubscribe\/\S+>$/)
  expect(mail?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  expect(mail?.headers.get('message-id')).toContain(`msg_${own.id}_${logIndex}@`)
  expect(mail?.text).toContain('&lt;b&gt;A spike&lt;/b&gt;')
  expect(mail?.text).toContain(`/a/${logIndex}`)
})

test('an hourly digest is one email at the full hour', async () => {
  const address = 'hourly@example.com'
  const own = await addConfirmedAddress(address)
  await fixture.change(own, { digest: { every: 'hour' } })
  const [one, two] = [await fixture.issue('digest one'), await fixture.issue('digest two', { priority: 'critical' })]
  await fixture.expectRow(own, one.logIndex, { state: 'held', reason: 'Included in the next digest' })
  await fixture.expectRow(own, two.logIndex, { state: 'held' })
  fixture.clock.advance(HOUR_MS - (fixture.clock.now().getTime() % HOUR_MS))
  await fixture.expectRow(own, two.logIndex, { state: 'delivered' })
  await fixture.expectRow(own, one.logIndex, { state: 'delivered' })
  expect(listSubjectsTo(address).slice(1)).toEqual(['2 alerts were held back: 1 critical, 1 high'])
  expect(listMailsTo(address).at(-1)?.text).toMatch(/digest two[\s\S]*digest one/)
})

test('no email contains alert text when the plan ended before the digest', async () => {
  const address = 'ended@example.com'
  const own = await addConfirmedAddress(address)
  await fixture.change(own, { digest: { every: 'hour' } })
  const { logIndex } = await fixture.issue('zqmarkerqz')
  await fixture.expectRow(own, logIndex, { state: 'held' })
  await fixture.server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, own.accountId))
  fixture.clock.advance(HOUR_MS)
  await fixture.expectRow(own, logIndex, { state: 'skipped', reason: 'No active plan' })
  expect(listMailsTo(address)).toHaveLength(1)
})

test('no alert text is sent to the mail server when the plan ends while that server checks the recipient', async () => {
  const address = 'ends-late@example.com'
  const own = await addConfirmedAddress(address)
  const { db } = fixture.server.ctx
  recipientChecks.set(address, async () => {
    await db.delete(subscriptions).where(eq(subscriptions.accountId, own.accountId))
    // Wait until the sender's first check of the plan is too old, so that the sender repeats it.
    await pause(200)
  })
  const { logIndex } = await fixture.issue('zqmarkerqz')
  await fixture.expectRow(own, logIndex, { state: 'skipped', reason: 'No active plan', attempts: [] })
  expect(listMailsTo(address), 'the code').toHaveLength(1)
  expect(mailTexts.join()).not.toContain('zqmarkerqz')
})

test.each([
  ['before the email is sent', 'lease-before@example.com', true],
  ['while the mail server checks the recipient', 'lease-during@example.com', false],
])('no text is sent to the mail server when the server loses its lease %s', async (_when, address, isBefore) => {
  const { ctx } = fixture.server
  const leader = new AbortController()
  const loseLease = async () => leader.abort(new LeaseLost('channels'))
  recipientChecks.set(address, isBefore ? async () => {} : loseLease)
  if (isBefore) await loseLease()
  const deliveries: Promise<void>[] = []
  const deliverMail: typeof ctx.deliverMail = (...delivered) => {
    const delivery = ctx.deliverMail(...delivered)
    deliveries.push(delivery)
    return delivery
  }
  const to = { id: randomUUID(), address }
  const content = { message: { text: 'zqlosttermqz' }, isCode: false }
  const limits = { ...noLimits, signal: leader.signal }
  const { answer } = await sendMailMessage({ ...ctx, deliverMail }, to, 'msg_1', content, limits)
  expect(answer).toMatchObject({ status: null, response: 'The server was stopped' })
  expect(deliveries, 'attempts to connect to the mail server').toHaveLength(isBefore ? 0 : 1)
  await Promise.allSettled(deliveries)
  expect(mailTexts.join()).not.toContain('zqlosttermqz')
})

test('an email is retried after status 451, and an unknown address marks the destination as gone', async () => {
  const [busyAddress, fullAddress, unknownAddress] = ['busy@example.com', 'full@example.com', 'unknown@example.com']
  const destinations = [
    await addConfirmedAddress(busyAddress),
    await addConfirmedAddress(fullAddress),
    await addConfirmedAddress(unknownAddress),
  ]
  refusals.set(busyAddress, { code: 451, line: '4.7.1 Try again later' })
  refusals.set(fullAddress, { code: 554, line: '5.7.1 Refused' })
  refusals.set(unknownAddress, { code: 550, line: '5.1.1 No such user' })
  const { logIndex } = await fixture.issue('refused')
  const [retried, dead, gone] = destinations
  if (!retried || !dead || !gone) throw new Error('Expected three addresses')
  await fixture.expectRow(retried, logIndex, { state: 'waiting', attempts: [{ status: 451 }] })
  await fixture.expectRow(dead, logIndex, { state: 'dead', attempts: [{ status: 554 }] })
  await fixture.expectRow(gone, logIndex, { state: 'dead', attempts: [{ status: 550 }] })
  expect(await readState(gone)).toBe('gone')
  refusals.clear()
  fixture.clock.advance(MINUTE_MS)
  await fixture.expectRow(retried, logIndex, { state: 'delivered' })
})

test('one click in an email client unsubscribes permanently, without a session', async () => {
  const address = 'leaving@example.com'
  const own = await addConfirmedAddress(address)
  const until = new Date(fixture.clock.now().getTime() + HOUR_MS).toISOString()
  await fixture.change(own, { mutedUntil: until })
  const { logIndex } = await fixture.issue('held for a reader who leaves')
  await fixture.expectRow(own, logIndex, { state: 'held' })
  const url = listMailsTo(address).at(-1)?.headers.get('list-unsubscribe')?.slice(1, -1) ?? ''
  const { origin, pathname: path } = new URL(url)
  const type = 'application/x-www-form-urlencoded'
  const postForm = (to: string, headers: Record<string, string> = {}, body = 'List-Unsubscribe=One-Click') =>
    send(origin, { method: 'POST', path: to, headers: { 'content-type': type, ...headers }, body })
  expect(await send(origin, { path }), 'opening the link').toMatchObject({ status: 404 })
  expect(await postForm(`${path}x`), 'a changed token').toMatchObject({ status: 404 })
  expect(await postForm('/api/auth/login'), 'forms are for this call only').toMatchObject({ status: 403 })
  expect(await postForm('/api/auth/login', { origin }), 'also with our origin').toMatchObject({ status: 415 })
  expect(await readState(own)).toBe('on')
  expect(await postForm(path)).toMatchObject({ status: 200 })
  await eventually(async () => expect(await readState(own)).toBe('unconfirmed'))
  await fixture.expectRow(own, logIndex, { state: 'dead', reason: 'The reader has unsubscribed' })
  const multipartBody = '--b\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
  const repeatedResponse = await postForm(path, { 'content-type': 'multipart/form-data; boundary=b' }, multipartBody)
  expect(repeatedResponse).toMatchObject({ status: 200 })
  await confirmAddress(own, address)
  expect(await readState(own)).toBe('on')
})

test('an account can send no further codes to a mailbox that unsubscribed through its confirmation email', async () => {
  const address = 'not-asked@example.com'
  const own = await addAddress(address)
  const requestCode = (id: string) => own.client.call('confirmDestination', { params: { id } })
  await requestCode(own.id)
  const [mail] = listMailsTo(address)
  expect(mail?.text).toContain('an account entered this address for alerts')
  expect(mail?.text).not.toContain('was confirmed')
  const { origin, pathname: path } = new URL(mail?.headers.get('list-unsubscribe')?.slice(1, -1) ?? '')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const unsubscribeRequest = { method: 'POST', path, headers, body: 'List-Unsubscribe=One-Click' }
  expect(await send(origin, unsubscribeRequest)).toMatchObject({ status: 200 })
  const refused = { code: 'endpoint_refused', status: 422 }
  await expect(requestCode(own.id)).rejects.toMatchObject(refused)
  const body = { kind: 'email' as const, name: 'Again', address: 'Not-asked+again@example.com' }
  const { destination } = await own.client.call('createDestination', { body })
  await expect(requestCode(destination.id), 'the same mailbox').rejects.toMatchObject(refused)
  expect(receivedMails.filter(({ to }) => to.toLowerCase().startsWith('not-asked'))).toHaveLength(1)
  // The owner of the mailbox can use it for another account.
  expect(await readState(await addConfirmedAddress(address))).toBe('on')
})

test('a mailbox gets at most five codes an hour, including addresses with a plus sign', async () => {
  const { ctx } = fixture.server
  const { accountId } = await fixture.signIn()
  // Calls the function instead of the HTTP endpoint, whose own limit would be reached first.
  const owner = { ...(await startTestSession(ctx, accountId)), requestId: 'test' }
  const addDestination = async (address: string) =>
    (await createDestination(ctx, owner, { kind: 'email', name: 'Mail', address })).destination.id
  const requestCode = (id: string) => confirmDestination(ctx, owner, id, undefined)
  const id = await addDestination('mailbox@example.com')
  for (let count = 0; count < 4; count += 1) await requestCode(id)
  await requestCode(await addDestination('mailbox+other@example.com'))
  await expect(requestCode(id)).rejects.toMatchObject({ code: 'too_many_tests' })
  await requestCode(await addDestination('another.mailbox@example.com'))
})
