import { expect, test } from 'vitest'
import { discord } from './discord.ts'
import { classifySmtp, createMail } from './email.ts'
import type { Answer, Classification } from './kind.ts'
import { type AlertMessage, cleanText, fitText, type Message } from './message.ts'
import { ntfy } from './ntfy.ts'
import { slack } from './slack.ts'
import { classifyTelegram, createTelegramMessage } from './telegram.ts'

const now = new Date('2026-11-24T18:00:00Z')
const createAnswer = (status: number, response = '', retryAfterMs: number | null = null): Answer => ({
  status,
  response,
  tookMs: 1,
  retryAfterMs,
})

/** Responses of the message services, as their documentation or public clients describe them. */
const answerCases: [
  name: string,
  classify: (of: Answer) => Classification,
  of: Answer,
  expected: Partial<Classification>,
][] = [
  ['discord: sent', (of) => discord.classify(of, now), createAnswer(204), { result: 'delivered' }],
  [
    'discord: webhook deleted',
    (of) => discord.classify(of, now),
    createAnswer(404, '{"message": "Unknown Webhook", "code": 10015}'),
    { result: 'gone' },
  ],
  [
    'discord: wrong token',
    (of) => discord.classify(of, now),
    createAnswer(401, '{"message": "Invalid Webhook Token", "code": 50027}'),
    { result: 'gone' },
  ],
  [
    'discord: empty message',
    (of) => discord.classify(of, now),
    createAnswer(400, '{"message": "Cannot send an empty message", "code": 50006}'),
    { result: 'dead' },
  ],
  [
    'discord: rate limited',
    (of) => discord.classify(of, now),
    createAnswer(429, '{"message":"You are being rate limited.","retry_after":64.57,"global":false}', 65_000),
    { result: 'retry', retryAfterMs: 65_000, pausesKind: false },
  ],
  [
    'discord: rate limited in milliseconds',
    (of) => discord.classify(of, now),
    createAnswer(429, '{"retry_after":64570,"global":false}'),
    { result: 'retry', retryAfterMs: 65_000 },
  ],
  [
    'discord: rate limited globally',
    (of) => discord.classify(of, now),
    createAnswer(429, '{"message":"You are being rate limited.","retry_after":0.3,"global":true}', 1_000),
    { result: 'retry', retryAfterMs: 1_000, pausesKind: true },
  ],
  [
    'discord: refused by the proxy',
    (of) => discord.classify(of, now),
    createAnswer(429, '<!doctype html><title>Access denied</title>'),
    { result: 'retry', retryAfterMs: 60_000, pausesKind: true },
  ],
  ['slack: sent', (of) => slack.classify(of, now), createAnswer(200, 'ok'), { result: 'delivered' }],
  ['slack: invalid', (of) => slack.classify(of, now), createAnswer(400, 'invalid_payload'), { result: 'dead' }],
  [
    'slack: forbidden',
    (of) => slack.classify(of, now),
    createAnswer(403, 'action_prohibited'),
    { result: 'dead', reason: 'Slack says: action_prohibited' },
  ],
  ['slack: removed', (of) => slack.classify(of, now), createAnswer(404, 'no_service'), { result: 'gone' }],
  ['slack: archived', (of) => slack.classify(of, now), createAnswer(410, 'channel_is_archived'), { result: 'gone' }],
  [
    'slack: rate limited',
    (of) => slack.classify(of, now),
    createAnswer(429, 'rate_limited', 30_000),
    { result: 'retry', retryAfterMs: 30_000 },
  ],
  ['slack: error', (of) => slack.classify(of, now), createAnswer(500, 'rollup_error'), { result: 'retry' }],
  ['ntfy: sent', (of) => ntfy.classify(of, now), createAnswer(200, '{"id":"hwQ2YpKdmg"}'), { result: 'delivered' }],
  [
    'ntfy: unauthorized',
    (of) => ntfy.classify(of, now),
    createAnswer(401, '{"code":40101,"http":401,"error":"unauthorized"}'),
    { result: 'dead', reason: 'ntfy says: unauthorized' },
  ],
  [
    'ntfy: too large',
    (of) => ntfy.classify(of, now),
    createAnswer(413, '{"code":41301,"http":413,"error":"message too large"}'),
    { result: 'dead' },
  ],
  [
    'ntfy: too many requests',
    (of) => ntfy.classify(of, now),
    createAnswer(429, '{"code":42901,"http":429,"error":"limit reached: too many requests"}'),
    { result: 'retry', retryAfterMs: null },
  ],
  [
    'ntfy: daily quota, until midnight UTC',
    (of) => ntfy.classify(of, now),
    createAnswer(429, '{"code":42908,"http":429,"error":"limit reached: daily message quota reached"}'),
    { result: 'retry', retryAfterMs: 6 * 3_600_000 },
  ],
  ['telegram: sent', classifyTelegram, createAnswer(200, '{"ok":true}'), { result: 'delivered' }],
  [
    'telegram: text cannot be parsed',
    classifyTelegram,
    createAnswer(400, '{"ok":false,"error_code":400,"description":"Bad Request: can\'t parse entities"}'),
    { result: 'dead' },
  ],
  [
    'telegram: chat not found',
    classifyTelegram,
    createAnswer(400, '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}'),
    { result: 'gone' },
  ],
  [
    'telegram: wrong token',
    classifyTelegram,
    createAnswer(401, '{"ok":false,"error_code":401,"description":"Unauthorized"}'),
    { result: 'retry', pausesKind: true },
  ],
  [
    'telegram: blocked by the user',
    classifyTelegram,
    createAnswer(403, '{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}'),
    { result: 'gone', reason: 'Telegram says: Forbidden: bot was blocked by the user' },
  ],
  [
    'telegram: too many requests',
    classifyTelegram,
    createAnswer(429, '{"ok":false,"error_code":429,"parameters":{"retry_after":7}}'),
    { result: 'retry', retryAfterMs: 7_000 },
  ],
  ['telegram: gateway page', classifyTelegram, createAnswer(502, '<html>502 Bad Gateway</html>'), { result: 'retry' }],
]

test.each<[code: number, response: string, expected: Classification['result']]>([
  [550, '550 5.1.1 No such user', 'gone'],
  [550, '550-5.1.1 No such user\n550 5.1.1 Check the address', 'gone'],
  [556, '556 5.1.10 The domain accepts no mail', 'gone'],
  [501, '501 5.1.7 Bad address syntax of the sender', 'retry'],
  [550, '550 5.1.8 Access denied, bad outbound sender', 'retry'],
  [550, '550 5.1.90 The daily limit of recipients is reached', 'retry'],
  [550, '550 5.7.1 Client host [5.1.44.2] blocked', 'dead'],
  [554, '554 5.7.1 Service unavailable; client [10.5.1.1] blocked', 'dead'],
])('email: the response %i, "%s", is classified as %s', (code, response, result) => {
  expect(classifySmtp(code, response, 1).classification).toMatchObject({ result })
})

test.each(answerCases)(
  'classify: returns the expected result for the response “%s”',
  (_name, classify, of, expected) => {
    expect(classify(of)).toMatchObject(expected)
  },
)

const hostileText = '<b>@everyone</b> [x](https://evil.example) *_~`|> <!channel> <@U1> & \u202egnp.exe'
const alert: AlertMessage = {
  id: '01890a5d-ac96-774b-bcce-b302099a8060',
  label: 'High',
  asset: 'BTC/USDT',
  anomalyType: 'Volume spike',
  confidence: '52%',
  summary: cleanText(hostileText),
  at: '2026-11-24 14:32:12 UTC',
  logIndexText: '#2,497',
  acknowledge: null,
  priority: 'high',
  link: 'https://tocsin.example/a/2497',
  proofLink: 'https://tocsin.example/verification?alert=1',
}
const address = { url: 'https://ntfy.example/desk', token: 'tk_1' }
const toBody = (kind: typeof discord, message: AlertMessage) =>
  JSON.parse(kind.buildRequest(address, { alert: message }).body)
const longAlert = { ...alert, summary: '*&'.repeat(5_000) }

test('messages: each contains asset, type, confidence, time and log index, and links to alert and proof', () => {
  const texts = [
    toBody(discord, alert).content,
    JSON.stringify(toBody(slack, alert).blocks),
    JSON.stringify(toBody(ntfy, alert)),
    createTelegramMessage({ alert }, 'an-id').html,
  ]
  for (const text of texts) {
    for (const part of [
      'High',
      'BTC/USDT',
      'Volume spike',
      '52%',
      alert.at,
      alert.logIndexText,
      '/a/2497',
      '/verification',
    ]) {
      expect(text).toContain(part)
    }
  }
})

/**
 * The texts in which each kind shows a digest, and the maximum length of one text in characters or
 * bytes.
 */
const digestTexts: [name: string, write: (message: Message) => string[], limit: number][] = [
  ['discord', (message) => [JSON.parse(discord.buildRequest(address, message).body).content], 2_000],
  [
    'slack',
    (message) =>
      JSON.parse(slack.buildRequest(address, message).body).blocks.map(
        ({ text, elements }: { text?: { text: string }; elements?: { text: string }[] }) =>
          text?.text ?? elements?.[0]?.text,
      ),
    3_000,
  ],
  ['ntfy', (message) => [JSON.parse(ntfy.buildRequest(address, message).body).message], 4_096],
  ['telegram', (message) => [createTelegramMessage(message, 'an-id').html], 4_096],
  ['email', (message) => [createMail('a@example.com', message, mailLinks).text], Number.POSITIVE_INFINITY],
  [
    'email as HTML',
    (message) => [createMail('a@example.com', message, mailLinks).html ?? ''],
    Number.POSITIVE_INFINITY,
  ],
]
const mailLinks = { unsubscribePage: 'https://tocsin.example/u', unsubscribeUrl: 'https://tocsin.example/api/u' }
const createDigest = (alerts: AlertMessage[]) => ({
  digest: { heading: `${alerts.length} alerts were held back`, alerts, link: 'https://tocsin.example/notifications' },
})

test.each(digestTexts)('%s: each alert of a digest has its links to alert and proof', (_name, write) => {
  const otherAlert = { ...alert, number: '#2,498', link: `${alert.link}1`, proofLink: `${alert.proofLink}1` }
  const text = write(createDigest([alert, otherAlert])).join('\n')
  expect(text).toContain('2 alerts were held back')
  for (const { logIndexText, link, proofLink, at } of [alert, otherAlert]) {
    for (const part of ['BTC/USDT', '52%', at, logIndexText, link, proofLink]) expect(text).toContain(part)
  }
})

test.each(digestTexts)('%s: a notice that is not an alert includes its link', (name, write) => {
  const link = 'https://tocsin.example/settings/channels'
  const message = { text: 'Desk has failed for 24 hours', link }
  // Telegram and ntfy have a field for the link outside of the text.
  if (name === 'telegram') expect(createTelegramMessage(message, 'an-id').buttons).toMatchObject([{ url: link }])
  else if (name === 'ntfy') expect(JSON.parse(ntfy.buildRequest(address, message).body).click).toBe(link)
  else expect(write(message).join('\n')).toContain(link)
})

test.each(digestTexts)(
  '%s: a long digest fits the limit, and states how many alerts it leaves out',
  (name, write, limit) => {
    const texts = write(createDigest(Array.from({ length: 100 }, () => longAlert)))
    expect(texts.length).toBeLessThanOrEqual(50)
    for (const text of texts) expect(name === 'ntfy' ? Buffer.byteLength(text) : text.length).toBeLessThanOrEqual(limit)
    const shownCount = texts.join('\n').split('#2,497').length - 1
    expect(shownCount).toBeGreaterThan(0)
    if (shownCount < 100) expect(texts.join('\n')).toContain(`and ${100 - shownCount} more`)
  },
)

test('discord: untrusted text has no mention, link or markup, and mentions are switched off', () => {
  const { content, allowed_mentions } = toBody(discord, alert)
  expect(allowed_mentions).toEqual({ parse: [] })
  expect(content).not.toMatch(/@everyone|@U1|https:\/\/evil|(?<!\\)[[`|~_]x|\u202e/)
  expect(content).toContain('\\*\\_\\~\\`\\|\\>')
})

test('slack: untrusted text is plain text, and escaped in the notification', () => {
  const { text, blocks } = toBody(slack, alert)
  expect(text).not.toMatch(/<|>|&(?!amp;|lt;|gt;)|\u202e/)
  expect(blocks[0].text.type).toBe('plain_text')
})

test('telegram: untrusted text is escaped as HTML, and the message has the buttons “Mute 1 h” and “Open”', () => {
  const { html, buttons } = createTelegramMessage({ alert }, 'an-id')
  expect(html).toContain('&lt;b&gt;@everyone&lt;/b&gt;')
  expect(html).not.toContain('\u202e')
  expect(buttons).toMatchObject([
    { text: 'Mute 1 h', callback_data: 'mute:an-id' },
    { text: 'Open', url: alert.link },
  ])
  const localMessage = createTelegramMessage({ alert: { ...alert, link: 'http://localhost:3000/a/1' } }, 'an-id')
  expect(localMessage.buttons, 'Telegram refuses such a link').toHaveLength(1)
})

test('ntfy: the topic is in the body, and the token in a header', () => {
  const request = ntfy.buildRequest(address, { alert })
  expect(request).toMatchObject({ url: 'https://ntfy.example/', headers: { authorization: 'Bearer tk_1' } })
  expect(JSON.parse(request.body)).toMatchObject({ topic: 'desk', priority: 4, click: alert.link })
})

test('messages: fit the size limit of each service after escaping', () => {
  expect(toBody(discord, longAlert).content.length).toBeLessThanOrEqual(2_000)
  expect(toBody(slack, longAlert).blocks[0].text.text.length).toBeLessThanOrEqual(3_000)
  expect(Buffer.byteLength(toBody(ntfy, { ...alert, summary: '中'.repeat(3_000) }).message)).toBeLessThanOrEqual(4_096)
  expect(createTelegramMessage({ alert: longAlert }, 'an-id').html.length).toBeLessThanOrEqual(4_096)
  expect(toBody(discord, longAlert).content, 'shortened inside of the summary only').toMatch(/…\n2026-.*Proof/)
})

test('fitText: shortens a text only between characters, and never splits a surrogate pair', () => {
  expect(fitText('📈📈📈', 5, (text) => text)).toBe('📈📈…')
})

test.each([
  ['discord', discord, 'https://example.com/api/webhooks/1/x', 'https://discord.com/api/webhooks/1/x'],
  ['slack', slack, 'https://hooks.slack.com.evil.example/services/T/B/x', 'https://hooks.slack.com/services/T/B/x'],
  ['ntfy', ntfy, 'https://ntfy.sh/', 'https://ntfy.sh/my-topic'],
])('%s: refuses an address of another service', (_name, kind, wrongUrl, rightUrl) => {
  expect(() => kind.checkAddress(new URL(wrongUrl))).toThrow('Expected')
  expect(() => kind.checkAddress(new URL(rightUrl))).not.toThrow()
})
