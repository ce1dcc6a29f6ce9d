import { createECDH, createPrivateKey } from 'node:crypto'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { decryptPush, readVapid } from '@tocsin/testkit/push-service'
import { expect, test } from 'vitest'
import { encrypt } from './encrypt.ts'
import { classifyPush } from './send-push.ts'
import { parseSubscription } from './subscription.ts'
import { createVapidTokens } from './vapid-token.ts'
import { alertOptions, createPushMessage } from './write-push.ts'

/** The example of RFC 8291, Appendix A. */
const rfcExample = {
  uaPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  uaPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}
const curve = createECDH('prime256v1')
curve.setPrivateKey(rfcExample.uaPrivate, 'base64url')
const keys = { curve, auth: Buffer.from(rfcExample.auth, 'base64url') }
const endpoint = 'https://push.example.com/send/a'
const subscription = { endpoint, p256dh: rfcExample.uaPublic, auth: rfcExample.auth }

const pointBytes = Buffer.from(rfcExample.uaPublic, 'base64url')
const flipBitAt = (at: number) => {
  const bytes = Buffer.from(pointBytes)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes.toString('base64url')
}

test.each([
  ['an endpoint on this machine', { endpoint: 'https://127.0.0.1/push' }],
  ['an endpoint of IPv6 loopback', { endpoint: 'https://[::1]/push' }],
  ['an endpoint in a private network', { endpoint: 'https://10.1.2.3/push' }],
  ['an endpoint without TLS', { endpoint: 'http://push.example.com/a' }],
  ['an endpoint with a password', { endpoint: 'https://a:b@push.example.com/a' }],
  ['an endpoint at another port', { endpoint: 'https://push.example.com:22/a' }],
  ['text', { endpoint: 'data:text/plain,a' }],
  ['a key of 64 bytes', { p256dh: pointBytes.subarray(1).toString('base64url') }],
  ['a key of 66 bytes', { p256dh: Buffer.concat([pointBytes, Buffer.of(0)]).toString('base64url') }],
  ['a compressed key', { p256dh: Buffer.concat([Buffer.of(2), pointBytes.subarray(1)]).toString('base64url') }],
  ['a point off the curve', { p256dh: flipBitAt(40) }],
  ['the point at zero', { p256dh: Buffer.concat([Buffer.of(4), Buffer.alloc(64)]).toString('base64url') }],
  ['a secret of 15 bytes', { auth: keys.auth.subarray(1).toString('base64url') }],
  ['a secret of 17 bytes', { auth: Buffer.alloc(17).toString('base64url') }],
])('parseSubscription: refuses %s', (_name, change) => {
  expect(() => parseSubscription({ ...subscription, ...change }, false)).toThrow()
})

test('parseSubscription: accepts the keys of RFC 8291', () => {
  const { p256dh, auth } = subscription
  expect(parseSubscription(subscription, false)).toEqual({ url: endpoint, p256dh, auth })
})

test('decryptPush: decrypts the example message of RFC 8291, and rejects modified copies', () => {
  const message = Buffer.from(rfcExample.message, 'base64url')
  expect(decryptPush(keys, message)).toBe('When I grow up, I want to be a watermelon')
  for (const at of [0, 25, 90, message.length - 1]) {
    const bytes = Buffer.from(message)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    expect(() => decryptPush(keys, bytes)).toThrow()
  }
})

test('encrypt: a browser can decrypt each message by RFC 8291, and each message has its own keys', () => {
  const target = { endpoint, keys: { p256dh: rfcExample.uaPublic, auth: rfcExample.auth } }
  const options = { TTL: 60, urgency: 'high' as const, topic: 'a'.repeat(32), authorization: 'vapid x' }
  const text = 'Volumen 6,1× über dem Üblichen'
  const [one, other] = [encrypt(target, text, options), encrypt(target, text, options)]
  for (const { body } of [one, other]) expect(decryptPush(keys, Buffer.from(body))).toBe(text)
  expect(Buffer.from(one.body).subarray(0, 86)).not.toEqual(Buffer.from(other.body).subarray(0, 86))
  expect(one.headers).toMatchObject({
    ttl: '60',
    urgency: 'high',
    topic: 'a'.repeat(32),
    authorization: 'vapid x',
    'content-encoding': 'aes128gcm',
  })
})

test('encrypt: refuses a key that is not valid', () => {
  const target = { endpoint, keys: { p256dh: flipBitAt(40), auth: rfcExample.auth } }
  expect(() => encrypt(target, 'x', { TTL: 1, authorization: '' })).toThrow()
})

const jwk = {
  kty: 'EC',
  crv: 'P-256',
  d: rfcExample.uaPrivate,
  x: pointBytes.subarray(1, 33).toString('base64url'),
  y: pointBytes.subarray(33).toString('base64url'),
}
const vapid = { publicKey: rfcExample.uaPublic, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }

test('VAPID token: is signed for one push service, reused for 12 hours and valid for less than 24', () => {
  const authorize = createVapidTokens()
  const at = new Date('2026-11-24T12:00:00Z')
  const authorizeAfter = (hours: number, url = endpoint) =>
    authorize(vapid, 'mailto:a@example.com', url, new Date(at.getTime() + hours * HOUR_MS))
  const firstToken = authorizeAfter(0)
  const { exp, ...claims } = readVapid(firstToken)
  expect(claims).toEqual({ aud: 'https://push.example.com', sub: 'mailto:a@example.com', key: rfcExample.uaPublic })
  expect(exp * 1_000 - at.getTime()).toBe(13 * HOUR_MS)
  expect(authorizeAfter(11.9, 'https://push.example.com/send/b')).toBe(firstToken)
  expect(readVapid(authorizeAfter(1, 'https://other.example.com/')).aud).toBe('https://other.example.com')
  expect(authorizeAfter(12)).not.toBe(firstToken)
  // After the clock was set back, a new token is created: the cached one would be valid for more
  // than 24 hours.
  expect(authorizeAfter(-1)).not.toBe(authorizeAfter(12))
})

const alert = {
  id: '01890a5d-ac96-774b-bcce-b302099a8060',
  label: 'High',
  asset: 'BTC/USDT',
  anomalyType: 'Volume spike',
  confidence: '52%',
  summary: '"\\'.repeat(5_000),
  at: '2026-11-24 14:32:12 UTC',
  logIndexText: '#2,497',
  priority: 'high' as const,
  link: 'https://example.com/a/2497',
  proofLink: 'https://example.com/verification?alert=x',
  acknowledge: null,
}
const proofPath = '/verification?alert=x'
const pushOptions = { id: 'msg_1_2497', type: 'alert.created', publicUrl: 'https://example.com', hidesContent: false }

test('createPushMessage: fits into 4,096 encrypted bytes and links to the alert and its proof', () => {
  const push = createPushMessage({ alert }, pushOptions)
  expect(Buffer.byteLength(JSON.stringify(push))).toBeLessThanOrEqual(4_096 - 103)
  expect(push).toMatchObject({ title: 'High, BTC/USDT, Volume spike 52%', path: '/a/2497', proofPath, tag: alert.id })
  expect(push.body).toContain('…\n2026-11-24 14:32:12 UTC, #2,497')
})

test('createPushMessage: contains nothing of the alert when the account hides content', () => {
  const push = createPushMessage({ alert }, { ...pushOptions, hidesContent: true })
  expect(push).toEqual({
    type: pushOptions.type,
    title: 'New alert',
    body: 'Open it to read it.',
    path: '/a/2497',
    proofPath,
    tag: alert.id,
  })
})

test('createPushMessage: contains nothing of the alerts of a digest when the account hides content', () => {
  const link = 'https://example.com/notifications'
  const message = { digest: { heading: '1 alert was held back: 1 high', alerts: [alert], link } }
  // The digest has the tag of its only alert, so its notification replaces that of the alert, which
  // may have arrived before the server was killed.
  expect(createPushMessage(message, pushOptions)).toMatchObject({ path: '/a/2497', proofPath, tag: alert.id })
  expect(createPushMessage(message, pushOptions).body).toMatch(
    /^1 alert was held back: 1 high\nHigh, BTC\/USDT, Volume spike 52%: /,
  )
  const push = createPushMessage(message, { ...pushOptions, hidesContent: true })
  expect(push.body).toBe('Alerts were held back. Open them to read them.')
})

test('createPushMessage: a digest of several alerts opens the notifications page, and fits the size limit', () => {
  const alerts = Array.from({ length: 100 }, () => alert)
  const digest = { heading: '100 alerts were held back: 100 high', alerts, link: 'https://example.com/notifications' }
  const push = createPushMessage({ digest }, pushOptions)
  expect(push.path).toBe('/notifications')
  expect(push.proofPath, 'there is more than one proof').toBeUndefined()
  expect(push.tag, 'another digest has other alerts, and must not be replaced').toBe(pushOptions.id)
  expect(push.body).toMatch(/^100 alerts were held back: 100 high\nHigh, BTC.*[\s\S]*\nand \d+ more$/)
  expect(Buffer.byteLength(JSON.stringify(push))).toBeLessThanOrEqual(4_096 - 103)
})

test('createPushMessage: a notice does not replace an earlier notice, but a test message replaces an earlier one', () => {
  const message = { text: 'Desk has failed for 24 hours', link: 'https://example.com/settings/channels' }
  expect(createPushMessage(message, { ...pushOptions, type: 'channel.notice' }).tag).toBe(pushOptions.id)
  expect(createPushMessage(message, { ...pushOptions, type: 'channel.test' }).tag).toBe('channel.test')
})

test('time to live of a push: is longer for a more urgent alert', () => {
  const ttlsSeconds = (['low', 'medium', 'high', 'critical'] as const).map(
    (priority) => alertOptions[priority].ttlSeconds,
  )
  expect(ttlsSeconds).toEqual([...ttlsSeconds].sort((one, other) => one - other))
})

const createAnswer = (status: number, retryAfterMs: number | null = null) => ({
  status,
  response: '',
  tookMs: 1,
  retryAfterMs,
})
/** Statuses of RFC 8030 (5.2 and 7.3) and RFC 9110. */
test.each([
  [201, 'delivered'],
  [404, 'gone'],
  [410, 'gone'],
  [413, 'dead'],
  [400, 'dead'],
  [403, 'dead'],
  [429, 'retry'],
  [503, 'retry'],
] as const)('classifyPush: classifies status %i as %s', (status, result) => {
  expect(classifyPush(createAnswer(status, 120_000))).toMatchObject({
    result,
    ...(result === 'retry' ? { retryAfterMs: 120_000, pausesKind: false } : {}),
  })
})
