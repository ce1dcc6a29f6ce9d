import { randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelTest } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { z } from 'zod'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { areCodesSuppressed } from '../../mail/suppressions.ts'
import { parseJson } from '../../parse-json.ts'
import { Refusal } from '../../refusal.ts'
import { createSemaphore } from '../../semaphore.ts'
import { storableText } from '../../storable-text.ts'
import { isUuid } from '../../uuid.ts'
import { chooseResolver } from '../feed/endpoint.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { hashSecret } from '../sessions/secret.ts'
import { MAX_CONCURRENT_CONFIRMATIONS } from './concurrency-limiter.ts'
import { clearedCodeColumns, createLinkCode, createTypedCode, MAX_CODE_TRIES } from './confirm-code.ts'
import {
  deleteDestinationTest,
  findTestResult,
  finishDestinationTest,
  startDestinationTest,
  TEST_MS,
  type TestResult,
} from './destination-test-store.ts'
import { noLimits } from './http-message.ts'
import { consumeOutboundQuota, resolveWithinLimit, toMailbox } from './outbound-quota.ts'
import type { Owner } from './record-change.ts'
import { createTelegramApi, type OutgoingMessage, send } from './send.ts'
import { changeDestination, createUnknownRefusal } from './service.ts'
import * as store from './store.ts'

/**
 * Maximum number of tests and confirmations of an account in an hour. Limits how often it can make
 * the server contact third parties.
 */
const MAX_TESTS_PER_HOUR = 10

const RESULT_POLL_MS = 100

/**
 * An email address gets no further code if other accounts have this many unused codes that were
 * sent to it.
 */
const MAX_CODES_TO_ADDRESS = 3

const runLimited = createSemaphore(MAX_CONCURRENT_CONFIRMATIONS, {
  maxWaiting: 16,
  busyMessage: 'Many confirmations are running. Try again in a few seconds.',
  code: 'too_many_requests',
})

const UNCONFIRMED_STATES = ['unconfirmed', 'gone']
const confirmedColumns = { state: 'on' as const, failingSince: null, notBefore: null }

/**
 * Confirms that the owner of the endpoint wants the alerts. A webhook has to return a challenge.
 * For a Telegram chat, the owner sends a code to the bot. Any other destination gets a code, which
 * the owner passes in a second call.
 * @throws Refusal not_found, too_many_tests, destination_not_on, code_wrong, kind_not_offered,
 *   endpoint_refused
 */
export async function confirmDestination(
  ctx: Context,
  owner: Owner,
  id: string,
  code: string | undefined,
): Promise<ChannelTest> {
  if (code !== undefined) return checkCode(ctx, owner, id, code)
  const { destination, testId } = await startTest(ctx, owner, id, 'confirmation')
  try {
    return await sendConfirmation(ctx, owner, destination, testId)
  } finally {
    await deleteDestinationTest(ctx.db, testId)
  }
}

async function sendConfirmation(
  ctx: Context,
  owner: Owner,
  destination: store.Destination,
  testId: string,
): Promise<ChannelTest> {
  const { id } = destination
  if (destination.kind === 'webhook') return sendChallenge(ctx, owner, destination, testId)
  if (destination.kind === 'telegram') return linkTelegram(ctx, destination)
  const { code: typedCode, columns } = createTypedCode(ctx.clock.now())
  await store.updateDestination(ctx.db, id, columns)
  const text = `${typedCode} is the code to send the alerts of ${ctx.config.http.publicUrl} here. If you do not know why you got it, ignore it.`
  const outgoing = { id: `msg_${testId}`, type: 'channel.code', data: {}, message: { text }, code: typedCode }
  const result = await sendToUnconfirmed(ctx, destination, outgoing)
  const message = result.isDelivered
    ? 'The code was sent. Enter it here within 15 minutes.'
    : 'The code could not be sent.'
  return { ...result, message }
}

async function sendChallenge(
  ctx: Context,
  owner: Owner,
  destination: store.Destination,
  testId: string,
): Promise<ChannelTest> {
  const { id } = destination
  const value = randomBytes(24).toString('base64url')
  // The second field makes the response invalid if a service returns `data` unchanged.
  const data = { challenge: value, destinationId: id }
  const outgoing = { id: `msg_${testId}`, type: 'channel.challenge', data, message: { text: '' } }
  const result = await sendToUnconfirmed(ctx, destination, outgoing)
  const isDelivered = result.isDelivered && isEchoed(result.response, value)
  if (!isDelivered) {
    const message = result.isDelivered
      ? 'The webhook must return only the challenge, as plain text or as {"challenge": "…"}.'
      : 'The webhook did not accept the challenge.'
    return { ...result, isDelivered, message }
  }
  await changeDestination(ctx, owner, id, 'confirmed', async (tx, { name, state }) => {
    if (UNCONFIRMED_STATES.includes(state)) await store.updateDestination(tx, id, confirmedColumns)
    return `${name} confirmed`
  })
  return { ...result, message: 'The webhook is confirmed and gets new alerts from now on.' }
}

const challengeShape = z.strictObject({ challenge: z.string() })

/**
 * True if the response is the challenge and nothing else. Otherwise a service that returns every
 * request, or its field `data`, would confirm itself although its owner has not agreed.
 */
function isEchoed(response: string, value: string): boolean {
  if (response.trim() === value) return true
  return challengeShape.safeParse(parseJson(response)).data?.challenge === value
}

async function linkTelegram(ctx: Context, { id }: store.Destination): Promise<ChannelTest> {
  const api = createTelegramApi(ctx)
  if (!api) throw new Refusal('kind_not_offered', 'This site has no Telegram bot.')
  const startMs = performance.now()
  const bot = await api.getMe().catch(() => null)
  const tookMs = Math.round(performance.now() - startMs)
  if (!bot) {
    return { isDelivered: false, status: null, tookMs, response: '', message: 'Telegram could not be reached.' }
  }
  const { code, columns } = createLinkCode(ctx.clock.now())
  await store.updateDestination(ctx.db, id, columns)
  const link = `https://t.me/${bot.username}?start=${code}`
  const message = 'Open the link and press Start. It is valid for 15 minutes.'
  return { isDelivered: true, status: 200, tookMs, response: `@${bot.username}`, message, link }
}

/**
 * Confirms a destination with the code that was sent to it. A code can be used once, with at most
 * five attempts.
 */
async function checkCode(ctx: Context, owner: Owner, id: string, typedText: string): Promise<ChannelTest> {
  let isCorrect = false
  const code = typedText.trim().toUpperCase()
  await changeDestination(ctx, owner, id, 'code checked', async (tx, destination) => {
    const { name, codeHash, codeUntil, codeTries, state } = destination
    const isOpen = codeHash !== null && codeUntil !== null && codeUntil > ctx.clock.now()
    if (!isOpen || codeTries >= MAX_CODE_TRIES || !UNCONFIRMED_STATES.includes(state)) {
      throw new Refusal('code_wrong', 'This code is not valid any more. Send a new one.')
    }
    isCorrect = timingSafeEqual(Buffer.from(codeHash), Buffer.from(hashSecret(code)))
    await store.updateDestination(
      tx,
      id,
      isCorrect ? { ...clearedCodeColumns, ...confirmedColumns } : { codeTries: codeTries + 1 },
    )
    return isCorrect ? `${name} confirmed` : `A wrong code for ${name}`
  })
  if (!isCorrect) throw new Refusal('code_wrong', 'The code is wrong.')
  const message = 'The destination is confirmed and gets new alerts from now on.'
  return { isDelivered: true, status: null, tookMs: 0, response: '', message }
}

/**
 * Stores a test and waits for its result. The instance that sends deliveries also sends the test.
 * @throws Refusal not_found, destination_not_on, too_many_tests
 */
export async function testDestination(ctx: Context, owner: Owner, id: string): Promise<ChannelTest> {
  const { testId } = await startTest(ctx, owner, id, 'test')
  const endMs = performance.now() + TEST_MS
  while (performance.now() < endMs) {
    const result = await findTestResult(ctx.db, testId)
    if (result) return { ...result, message: result.isDelivered ? 'The test was delivered.' : 'The test failed.' }
    await pause(RESULT_POLL_MS)
  }
  const response = `No response within ${TEST_MS / 1_000} seconds`
  const message = 'The destination did not respond to the test. Other messages to it may be waiting for responses.'
  return { isDelivered: false, status: null, tookMs: TEST_MS, response, message }
}

/** Sends a test that was requested and records its result. */
export async function sendTest(ctx: Context, testId: string, destination: store.Destination): Promise<void> {
  const text = 'This is a test from Tocsin.'
  const outgoing = { id: `msg_${testId}`, type: 'channel.test', data: { text }, message: { text } }
  await finishDestinationTest(ctx.db, testId, await sendTestMessage(ctx, destination, outgoing))
}

/** Checks the limits and records a test before it is sent. */
async function startTest(ctx: Context, owner: Owner, id: string, kind: 'test' | 'confirmation') {
  const { accountId } = owner
  const allowedStates = kind === 'test' ? ['on', 'paused', 'failing'] : UNCONFIRMED_STATES
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, owner)
    const destination = isUuid(id) ? await store.findDestination(tx, accountId, id) : undefined
    if (!destination) throw createUnknownRefusal()
    if (!allowedStates.includes(destination.state)) {
      throw new Refusal('destination_not_on', `The destination is ${destination.state}.`)
    }
    if ((await store.countTestsSince(tx, accountId, new Date(at.getTime() - HOUR_MS))) >= MAX_TESTS_PER_HOUR) {
      const message = `An account can send ${MAX_TESTS_PER_HOUR} tests and confirmations an hour. Try again later.`
      throw new Refusal('too_many_tests', message)
    }
    const testId = await startDestinationTest(tx, id, kind)
    if (testId === null) throw new Refusal('too_many_tests', 'A test of this destination is running. Wait for its end.')
    if (kind === 'confirmation') {
      const { host } = destination
      if (destination.kind === 'email' && (await areCodesSuppressed(tx, { accountId, mailbox: toMailbox(host) }))) {
        throw new Refusal('endpoint_refused', 'The owner of this address wants no codes from your account.')
      }
      const codes = destination.kind === 'email' ? await store.countCodesTo(tx, host, accountId, at) : 0
      if (codes >= MAX_CODES_TO_ADDRESS || !consumeOutboundQuota(destination.kind, host)) {
        throw createTooManyContactsRefusal()
      }
    }
    await recordActivity(tx, { accountId, kind: 'channel_tested', detail: destination.name, at })
    if (kind === 'test') await ctx.notifications.notify(tx, 'channels')
    return { destination, testId }
  })
}

/** Sends a message to an address whose owner has not agreed to it yet. */
async function sendToUnconfirmed(
  ctx: Context,
  destination: store.Destination,
  outgoing: OutgoingMessage,
): Promise<TestResult> {
  return runLimited(async () => {
    const resolve = chooseResolver(ctx.config.channels.allowPrivate)
    const addresses = await resolveWithinLimit(destination.kind, destination.host, resolve)
    if (addresses === null) throw createTooManyContactsRefusal()
    return sendTestMessage(ctx, destination, { ...outgoing, ...(addresses && { addresses }) })
  })
}

const createTooManyContactsRefusal = () =>
  new Refusal('too_many_tests', 'Too many confirmations were sent to this address. Try again later.')

async function sendTestMessage(
  ctx: Context,
  destination: store.Destination,
  outgoing: OutgoingMessage,
): Promise<TestResult> {
  const signal = AbortSignal.timeout(TEST_MS)
  const { answer, classification } = await send(ctx, destination, outgoing, { ...noLimits, signal })
  const { status, tookMs } = answer
  const isLate = signal.aborted && status === null
  const response = isLate ? `No response within ${TEST_MS / 1_000} seconds` : storableText(answer.response)
  return { isDelivered: classification.result === 'delivered', status, tookMs, response }
}
