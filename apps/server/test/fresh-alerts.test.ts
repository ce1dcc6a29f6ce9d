import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex, decodeAlert, encodeAlert, hashLeaf, hashSignal } from '@tocsin/proof'
import {
  type EndpointName,
  endpoints,
  examples,
  logEntries,
  logMessages,
  type ResponseOf,
  type Role,
  serverMessage,
} from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, startTestSession, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logEntries as logEntryTable } from '../src/db/schema/log.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import type { AlertContent } from '../src/features/alerts/alert.ts'
import type { Issue } from '../src/features/alerts/issue.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { receiveSignals } from '../src/features/feed/receive-signals.ts'
import { findRecordAnchor } from '../src/features/record/store.ts'
import { createPrivateFeed } from '../src/features/syndication/private-feed.ts'
import { readTimeToAnchor } from '../src/features/tlog/stats-store.ts'
import { createEntityTag } from '../src/http/entity-tag.ts'
import { computePublicCutoff } from '../src/public-delay.ts'
import { openSocket, type RawAnswer, send } from './raw-client.ts'
import { servedRoutes } from './served-routes.ts'
import { writeSite } from './site-fixture.ts'
import { createCandles, createOutcomeMessage, createPredictedSignal } from './support/outcome-test-bed.ts'

/**
 * Checks that a recent alert reveals nothing to callers who may not read it. Makes every call of
 * the protocol and reads every other route and page, before and after an alert is issued. The
 * responses may differ only as `allowedDifferences` allows. The calls come from the table of
 * endpoints, so new endpoints are covered automatically. Other routes are listed in `otherReads`.
 */

const RARE_CONTENT = { asset: 'ZZQ/RARE', anomalyType: 'Rare type', regime: 'Rare regime', summary: 'zqrare summary' }
const unknownId = '00000000-0000-4000-8000-000000000000'
const zeroHash = `0x${'00'.repeat(32)}`

/** Matches words that no difference may contain. */
const rarePattern = new RegExp(Object.values(RARE_CONTENT).join('|'))

/**
 * Allows every difference, for data that the log publishes immediately: size, root, leaf hashes,
 * anchors and their times.
 */
const anyDifference = [/./]
/** Differences if there is now a broadcast alert at a log index that had no entry before. */
const withheldDifferences = [
  /^\(status\) -204$/,
  /^(success|code|message) removed$/,
  /^(access added "withheld"|(priority|createdAt|logIndex|leafHash|publicAt) added .+)$/,
]
/**
 * Differences of the page of a new broadcast alert. Before the alert was issued, its URL returned
 * the 404 page.
 */
const withheldPageDifferences = [
  /^\(status\) -204$/,
  /^ removed$/,
  /^html added /,
  /^data\.(access added "withheld"|(priority|createdAt|logIndex|leafHash|publicAt) added .+)$/,
]
const allowedDifferences: { [N in EndpointName | OtherName]?: RegExp[] } = {
  logHead: anyDifference,
  logCheckpoint: anyDifference,
  logAnchors: anyDifference,
  logEntries: [/^size /, /^entries\[\d+\]\.(index|leafHash) added/, /^entries\[\d+\]\.(bytes|signature) added null$/],
  logStats: [/^(size|entriesStored|anchors|anchoredSize|lastAnchoredAt|oldestWaitingAt|state|reason) /],
  // The record counts an entry as pending if the reader has no access to it, because it can be an
  // alert.
  trackRecord: [
    /^record\.(asOf\.\w+|recent\.(since|fromIndex)) /,
    /^record\.(overall|recent\.figures)\.statuses\.pending \+\d$/,
  ],
  trackRecordAlerts: [
    /^items\[\d+\]\.(logIndex|leafHash) added/,
    /^items\[\d+\]\.status added "pending"$/,
    /^items\[\d+\]\.(problem|alert|prediction|outcome|controlRate) added null$/,
    /^items\[\d+\]\.isWitnessed added false$/,
  ],
  exportTrackRecord: [/^\d+ added "\d+,0x[0-9a-f]{64},pending,{26}false,,"$/],
  // Reveals only time and priority of a recent alert that was broadcast.
  recentAlerts: [/^\[locked-\d+\]\.(id|locked|priority|createdAt|logIndex) added/],
  userAlerts: [/^\[locked-\d+\]\.(id|isRead|alert\.(id|locked|priority|createdAt|logIndex)) added/],
  searchAlerts: [
    /^items\[locked-\d+\]\.(id|isRead|alert\.(id|locked|priority|createdAt|logIndex)) added/,
    /^(total|byPriority\.critical)\.count \+1$/,
  ],
  alertPulse: [/^items\[.+\]\.(createdAt|priority) added/, /^counts\.critical \+1$/, /^until /],
  alertAt: withheldDifferences,
  openSharedAlert: withheldDifferences,
  // Each export contains the time of the response.
  exportAccount: [/^exportedAt /],
  systemStatus: [/^anchor\.(lastAnchoredAt|state|reason) /],
  // Instead of the 404 page, there is now a page with the data of `alertAt`. `shown` contains its
  // text, so that the test can compare the pages of different alerts.
  alertPage: withheldPageDifferences,
  alertFrame: withheldPageDifferences,
  alertFrameBelowPage: withheldPageDifferences,
  // The readiness depends on whether chains and feed were read recently.
  readiness: [/^\(status\) [+-]303$/, /^status "\w+" -> "\w+"$/, /^reasons\.\w+ /],
  // The page has the figures of `trackRecord` and the rows of `trackRecordAlerts`.
  trackRecordPage: [
    /^data\.items\[\d+\]\.(logIndex|leafHash) added/,
    /^data\.items\[\d+\]\.status added "pending"$/,
    /^data\.items\[\d+\]\.(problem|alert|prediction|outcome|controlRate) added null$/,
    /^data\.items\[\d+\]\.isWitnessed added false$/,
  ],
}

/** Matches figures that may differ after a broadcast alert, but not after a draft or an outcome. */
const timeToAnchorPattern = /^(logStats: timeToAnchor\.\w+|systemStatus: alerts\.medianToAnchorMs) /

/** Calls that read, although they are not GET requests. */
const readingPosts: EndpointName[] = [
  ...(['openSharedAlert', 'verifyAlert', 'readChain', 'markAlertsRead', 'markAllRead'] as const),
  ...(['previewRules', 'acknowledgeAlert'] as const),
]
/**
 * Calls that change only the caller's data and return nothing about alerts. A new call must be
 * added to one of the two lists.
 */
const callerWrites = [
  'acknowledgeByLink',
  'addPasskey',
  'cancelFactorReset',
  'cancelOrder',
  'cancelOwnFactorReset',
  'changeAlertView',
  'changeAllDestinations',
  'changeDestination',
  'changeEmail',
  'changeName',
  'changePassword',
  'checkResetLink',
  'completeSignIn',
  'confirm',
  'confirmDestination',
  'confirmFactor',
  'confirmPasskey',
  'confirmTotp',
  'confirmWallet',
  'contactSupport',
  'createAlertView',
  'createApiKey',
  'createChallenge',
  'createDestination',
  'createFirstAdmin',
  'createOrder',
  'createPrivateFeed',
  'createWalletUser',
  'deleteAccount',
  'deleteAlertView',
  'deleteDestination',
  'endOtherSessions',
  'endSession',
  'endShares',
  'forgotPassword',
  'login',
  'logout',
  'passkeyConfirmOptions',
  'passkeyOptions',
  'passkeySignIn',
  'passkeySignInOptions',
  'proveWallet',
  'quoteCoupon',
  'redeemCoupon',
  'redeliver',
  'register',
  'removePasskey',
  'removeTotp',
  'renamePasskey',
  'renewPush',
  'replaceRecoveryCodes',
  'reportOrderTransaction',
  'resendVerification',
  'resetPassword',
  'revokeApiKey',
  'revokePrivateFeed',
  'rotateDestinationSecret',
  'savePreferences',
  'setEscalation',
  'shareAlert',
  'startTotp',
  'subscribe',
  'testDestination',
  'unlinkIdentity',
  'unlinkWallet',
  'unmarkAllRead',
  'unsubscribe',
  'useEnrolmentCode',
  'walletSignIn',
  'walletSignInChallenge',
]
/**
 * Calls that change the caller's account, and with it the responses of other calls. Each reader
 * makes these calls from a second account (`traced`), one after the other.
 */
const ownAccountCalls: ReadRequest['name'][] = ['exportAlertsCsv', 'exportAlertsJson', ...readingPosts]

/**
 * Routes of the server that are not calls of the protocol. `route` is the route as the router
 * prints it, or null for pages, which the router does not know. `paths` returns the paths to read
 * for the alert at a log index.
 */
const otherReads = {
  health: { route: '/healthz', paths: () => ['/healthz'] },
  readiness: { route: '/readyz', paths: () => ['/readyz'] },
  metrics: { route: '/metrics', paths: () => ['/metrics'] },
  apiDocument: { route: '/openapi.json', paths: () => ['/openapi.json'] },
  robots: { route: '/robots.txt', paths: () => ['/robots.txt'] },
  siteMap: { route: '/sitemap.xml', paths: () => ['/sitemap.xml'] },
  publicFeed: { route: '/feeds/:file|:secret', paths: () => feedFiles.map((file) => `/feeds/${file}`) },
  privateFeed: {
    route: '/feeds/:file|:secret/:file',
    paths: (_index, secret) => feedFiles.map((file) => `/feeds/${secret}/${file}`),
  },
  alertImage: { route: '/alert-images/:index.png', paths: (index) => [`/alert-images/${index}.png`] },
  alertImageBelowPage: { route: null, paths: (index) => [`/a/${index}/image.png`] },
  alertPage: { route: null, paths: (index) => [`/a/${index}`] },
  alertFrame: { route: null, paths: (index) => [`/embed/${index}`] },
  alertFrameBelowPage: { route: null, paths: (index) => [`/a/${index}/embed`] },
  trackRecordPage: {
    route: null,
    paths: () => [
      '/track-record',
      '/track-record?status=pending',
      `/track-record?by=type&key=${encodeURIComponent(RARE_CONTENT.anomalyType)}`,
    ],
  },
} satisfies Record<string, { route: string | null; paths(index: number, secret: string): string[] }>
type OtherName = keyof typeof otherReads
const feedFiles = ['alerts.atom', 'alerts.rss', 'alerts.json']

/**
 * Queries that replace those of `examples`: whole lists, and queries for each field that a locked
 * row hides.
 */
const queriesByName: { [N in EndpointName]?: string[] } = {
  recentAlerts: ['?limit=100'],
  publicAlerts: ['?limit=100'],
  searchAlerts: [
    '?limit=100',
    '?priority=critical&limit=100',
    `?asset=${encodeURIComponent(RARE_CONTENT.asset)}`,
    `?assets=${encodeURIComponent(RARE_CONTENT.asset)}&assets=${encodeURIComponent('BTC/USDT')}`,
    `?type=${encodeURIComponent(RARE_CONTENT.anomalyType)}`,
    '?q=zqrare',
    '?q=retracted',
    '?read=unread',
  ],
  exportAlertsCsv: ['', '?priority=critical'],
  exportAlertsJson: ['', '?q=zqrare', `?assets=${encodeURIComponent(RARE_CONTENT.asset)}`],
  logEntries: ['?from=0&limit=1000'],
  logMessages: ['?from=0&limit=200'],
  trackRecord: ['', '?origin=demo'],
  trackRecordAlerts: ['?limit=200'],
}

/** Rules that allow every alert. */
const allRules = {
  ...{ assets: [], types: [], regimes: [], watchlist: false, lowestPriority: 'low', lowestConfidence: 0 },
  ...{ coolDownMinutes: 0, mostPerHour: null },
}

const parts = useTestDatabaseAndChain()
let site: Awaited<ReturnType<typeof writeSite>>
let app: FastifyInstance
let clock: FakeClock
let server: TestServer
let readers: Record<
  'anonymous' | 'free' | 'subscriber' | 'former' | 'support',
  { main: TestClient; traced: TestClient; id: string }
>
/** The secret of each account's private feed, by account id. */
const feedSecrets = new Map<string, string>()
/** The log index of the next entry, which is used in calls by index. */
let nextIndex = 0
/** Ids of public alerts that the test corrects and retracts. */
let publicIds: string[]

beforeAll(async () => {
  site = await writeSite()
  // Start at noon: a preview of rules lists days, so no comparison may span midnight UTC.
  const startAt = new Date()
  startAt.setUTCHours(startAt.getUTCHours() < 12 ? 12 : 36, 0, 0, 0)
  clock = fakeClock(startAt)
  const payment = { ...parts.chain.settings.payment, maxAgeHours: 1_000 }
  server = await startTestServer(
    parts,
    { payment, http: { trustedProxies: 1, webDir: site.webDir } },
    {
      clock,
      recordPauseFactor: 0,
      install: (installed) => {
        app = installed
      },
    },
  )
  publicIds = []
  for (const confidence of [61, 72.5, 83, 94.5]) {
    const content: AlertContent = {
      ...RARE_CONTENT,
      asset: 'BTC/USDT',
      summary: 'Public by now',
      confidence,
      priority: 'critical',
    }
    publicIds.push((await issue({ content, origin: 'admin', broadcast: true })).id)
  }
  const former = await signUp('former', { payFrom: 3 })
  await passTime(26 * HOUR_MS)
  // The plan and the sessions of this account have ended by now.
  await logInAgain('former', former)
  // Issue an entry after the public delay, so that the next anchor is late enough for the record to
  // contain the public alerts. The record ignores an anchor until the clock has reached the time of
  // its block.
  await issue({ content: createCriticalContent({}), origin: 'admin', broadcast: false })
  readers = {
    anonymous: { main: server.createClient(), traced: server.createClient(), id: unknownId },
    free: await signUp('free'),
    subscriber: await signUp('subscriber', { payFrom: 1, planIto: 75n }),
    former,
    support: await signUp('support', { role: 'support' }),
  }
  await waitUntilSettled()
})
afterAll(async () => {
  await server?.close()
  await site?.remove()
})

const getLogin = (name: string, use: string) => ({
  email: `${name}-${use}@example.com`,
  password: `the long password of ${name}`,
})

async function logInAgain(name: string, { main, traced }: Pick<(typeof readers)['free'], 'main' | 'traced'>) {
  await main.call('login', { body: getLogin(name, 'main') })
  await traced.call('login', { body: getLogin(name, 'traced') })
}

interface SignUpOptions {
  /** Index of the first of two wallets that pay. */
  payFrom?: number
  planIto?: bigint
  role?: Role
}

async function signUp(name: string, { payFrom, planIto = 10n, role = 'user' }: SignUpOptions = {}) {
  const clients: TestClient[] = []
  for (const use of ['main', 'traced']) {
    const login = getLogin(name, use)
    await createAccount(server.ctx, { ...login, name, role, verified: true })
    const client = server.createClient()
    await client.call('login', { body: login })
    clients.push(client)
  }
  const [main = server.createClient(), traced = main] = clients
  if (payFrom !== undefined) {
    for (const [position, client] of clients.entries()) {
      await client.proveWallet(parts.chain.wallet(payFrom + position))
      const { transactionHash } = await parts.chain.pay({ from: payFrom + position, amountWei: planIto * 10n ** 18n })
      const planType = planIto === 75n ? '3d' : '6h'
      await client.call('subscribe', { body: { planType, transactionHash } })
    }
  }
  return { main, traced, id: (await main.call('currentUser')).user?.id ?? '' }
}

/**
 * Advances the test clock and sets the time of the next block to it. Between calls, the test clock
 * stands still while the chain's clock runs, so later blocks are ahead of the test clock.
 */
async function passTime(ms: number): Promise<void> {
  clock.advance(ms)
  await parts.chain.control.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(clock.now().getTime() / 1000)) })
  await parts.chain.mine()
}

/**
 * Maximum time by which the chain is ahead of the test clock. The test advances its clock by this
 * time after each alert, because the record ignores anchors whose block is later than the clock.
 * Less than a minute: a request in a session that was last seen a minute ago updates the last-seen
 * time, which changes responses.
 */
const CHAIN_LEAD_MS = 45_000

async function issue(newIssue: Issue) {
  return (await createIssuer(server.ctx)(newIssue)).alert
}

async function sendSignal(signal: object): Promise<void> {
  await receiveTexts([JSON.stringify({ ...RARE_CONTENT, confidence: 88.8, priority: 'critical', ...signal })])
}

async function receiveTexts(texts: string[]): Promise<void> {
  const issueReceived: Parameters<typeof receiveSignals>[1] = createIssuer(server.ctx)
  await receiveSignals(server.ctx, issueReceived, texts, new AbortController().signal)
}

/** Waits until the log is anchored and cached answers have expired. */
async function waitUntilSettled(): Promise<void> {
  const stranger = server.createClient()
  const until = clock.now().toISOString()
  const readEndpoint = async <N extends EndpointName>(name: N, query = '') => {
    const { body } = await sendReadRequest({ method: 'GET', path: `${endpoints[name].path}${query}` }, stranger)
    return endpoints[name].response.parse(JSON.parse(body)) as ResponseOf<N>
  }
  await eventually(async () => {
    const { size, anchored } = await readEndpoint('logHead')
    const [stats, pulse] = await Promise.all([readEndpoint('logStats'), readEndpoint('alertPulse')])
    expect([anchored?.size, stats.size, stats.anchoredSize, pulse.until]).toEqual([size, size, size, until])
    // Several queries read the statistics. An anchor that is added between two of them is missing
    // in the result of the first one.
    const publicCutoff = computePublicCutoff(clock.now(), server.ctx.config.publicDelayHours)
    expect(stats.timeToAnchor).toEqual(await readTimeToAnchor(server.ctx.db, new Date(0), publicCutoff))
    // After a slow computation, the record of an earlier anchor is shown for a while.
    const asOf = await findRecordAnchor(server.ctx.db, clock.now())
    for (const query of ['', '?origin=demo']) {
      const { record } = await readEndpoint('trackRecord', query)
      expect(record?.asOf.size, query).toBe(asOf?.size)
    }
  })
}

interface ReadRequest {
  key: string
  name: EndpointName | OtherName
  method: string
  path: string
  body?: string
}

/** Returns every reading call, with its example or with `queriesByName`. */
function listApiReads(accountId: string): ReadRequest[] {
  const bodies: { [N in EndpointName]?: object } = {
    previewRules: { rules: allRules, timeZone: 'UTC' },
    acknowledgeAlert: { logIndex: nextIndex },
  }
  return Object.entries(endpoints).flatMap(([key, { method, path }]) => {
    // The cast is safe, because the keys of the table are the names.
    const name = key as EndpointName
    if (method !== 'GET' && !readingPosts.includes(name)) return []
    const {
      params = {},
      query = {},
      body = bodies[name],
    } = { ...examples[name] } as {
      params?: Record<string, string>
      query?: Record<string, string | number>
      body?: object
    }
    const ids: Record<string, string> = {
      ...params,
      ...('userId' in params ? { userId: accountId } : {}),
      ...('index' in params ? { index: String(nextIndex) } : {}),
    }
    const filledPath = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(ids[param] ?? unknownId))
    const search = new URLSearchParams(
      Object.entries(query).map(([field, value]): [string, string] => [field, String(value)]),
    )
    const searches = queriesByName[name] ?? [search.size > 0 ? `?${search}` : '']
    return searches.map((search) => ({
      key: `${name}${search}`,
      name,
      method,
      path: `${filledPath}${search}`,
      ...(body ? { body: JSON.stringify(body) } : {}),
    }))
  })
}

/** Returns every reading call and every other route and page. */
function listReads(accountId: string): ReadRequest[] {
  const secret = feedSecrets.get(accountId) ?? createUnknownFeed()
  const otherRequests = Object.entries(otherReads).flatMap(([key, { paths }]) =>
    // The cast is safe, because the keys of the table are the names.
    paths(nextIndex, secret).map((path, index) => ({
      key: `${key} ${index}`,
      name: key as OtherName,
      method: 'GET',
      path,
    })),
  )
  return [...listApiReads(accountId), ...otherRequests]
}

const createUnknownFeed = () => `feed_${randomBytes(32).toString('base64url')}`

/**
 * Gives the account a private feed with a new secret. Each secret has its own quota, which
 * does not refill because the test clock stands still.
 */
async function renewFeed(accountId: string): Promise<void> {
  if (accountId === unknownId) return
  const owner = { ...(await startTestSession(server.ctx, accountId)), requestId: 'test' }
  const { secret } = await createPrivateFeed(server.ctx, owner)
  feedSecrets.set(accountId, secret)
  // Read the feed once, because the account's responses contain the time of the last read.
  await sendReadRequest({ method: 'GET', path: `/feeds/${secret}/alerts.json` }, server.createClient())
}

let requestCount = 0

function sendReadRequest(
  { method, path, body }: Omit<ReadRequest, 'key' | 'name'>,
  client: TestClient,
): Promise<RawAnswer> {
  requestCount += 1
  const headers = {
    // Each call comes from another network, so that rate limits do not apply.
    'x-forwarded-for': `198.${18 + Math.floor(requestCount / 62_500)}.${Math.floor(requestCount / 250) % 250}.${requestCount % 250}`,
    cookie: client.cookie(),
    origin: server.url,
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  return send(server.url, { method, path, headers, ...(body ? { body } : {}) })
}

type Answers = Map<string, { name: ReadRequest['name']; lines: Map<string, string> }>

async function readAll(reader: (typeof readers)[keyof typeof readers]): Promise<Answers> {
  const answers: Answers = new Map()
  const readOne = async ({ key, name, ...question }: ReadRequest, client: TestClient) => {
    const { status, headers, body } = await sendReadRequest(question, client)
    const { 'last-modified': lastModified, 'content-type': type } = headers
    // An ETag that is a hash of the body reveals no more than the body.
    const etag = headers.etag === createEntityTag(body) ? undefined : headers.etag
    const lines = flatten(parseBody(body))
    for (const [field, value] of Object.entries({ status, etag, lastModified, type }))
      lines.set(`(${field})`, String(value))
    lines.delete('requestId')
    answers.set(key, { name, lines })
  }
  const requests = listReads(reader.id)
  const isTraced = ({ name }: ReadRequest) => ownAccountCalls.includes(name)
  const untracedRequests = requests.filter((question) => !isTraced(question))
  await Promise.all(untracedRequests.map((question) => readOne(question, reader.main)))
  for (const question of requests.filter(isTraced)) await readOne(question, reader.traced)
  return answers
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    if (body.startsWith('\ufeff')) return parseCsv(body)
    return /^<(!doctype )?html/.test(body) ? parseHtml(body) : body
  }
}

/**
 * Parses a page and the data in it. In the text, the data and the number of entries are replaced by
 * placeholders: the data is compared separately, and the log publishes the number.
 */
function parseHtml(body: string): unknown {
  const [, json] = /id="alert-data">(.*?)<\/script>/s.exec(body) ?? /<\/b>(\{.*\})<\/record-content>/s.exec(body) ?? []
  const data: Record<string, unknown> = json === undefined ? {} : JSON.parse(json)
  let html = body.replace(json ?? '', 'DATA').replace(/( n \d+ of) \d+ on /, '$1 SIZE on ')
  for (const field of ['leafHash', 'createdAt', 'publicAt']) {
    if (typeof data[field] === 'string') html = html.replaceAll(data[field], field)
  }
  html = html.replaceAll(`/a/${nextIndex}"`, '/a/PLACE"')
  return json === undefined ? html : { html, data }
}

/** Returns the lines of a CSV file by their first field. */
function parseCsv(body: string): Record<string, string> {
  return Object.fromEntries(body.split('\r\n').map((line) => [line.split(',')[0], line]))
}

/**
 * Returns every value by its path. List items are identified by a name instead of an index, so that
 * a new item does not shift the paths of the others.
 */
function flatten(value: unknown, path = '', lines = new Map<string, string>()): Map<string, string> {
  if (typeof value !== 'object' || value === null) return lines.set(path, JSON.stringify(value) ?? '')
  if (Array.isArray(value)) {
    lines.set(`${path}(list)`, '')
    for (const [at, item] of value.entries()) flatten(item, `${path}[${getName(item) ?? at}]`, lines)
    return lines
  }
  for (const [field, item] of Object.entries(value)) flatten(item, path === '' ? field : `${path}.${field}`, lines)
  return lines
}

function getName(item: unknown): string | number | null {
  if (typeof item !== 'object' || item === null) return null
  for (const field of ['id', 'index', 'size', 'createdAt', 'logIndex']) {
    const value: unknown = Object.entries(item).find(([name]) => name === field)?.[1]
    if (typeof value === 'string' || typeof value === 'number') return value
  }
  return null
}

/** Returns the differences between two responses: `path added value`, `path +1`, `path a -> b`. */
function listDifferences(before: Map<string, string>, after: Map<string, string>): string[] {
  const changedLines = [...after].flatMap(([path, value]) => {
    const valueBefore = before.get(path)
    if (valueBefore === value) return []
    if (valueBefore === undefined) return [`${path} added ${value}`]
    const delta = Number(value) - Number(valueBefore)
    if (Number.isNaN(delta) || value === '""' || valueBefore === '""') return [`${path} ${valueBefore} -> ${value}`]
    return [`${path} ${delta > 0 ? '+' : ''}${delta}`]
  })
  const goneLines = [...before.keys()].filter((path) => !after.has(path)).map((path) => `${path} removed`)
  return [...changedLines, ...goneLines]
}

interface VisibleChange {
  /** Differences that `allowedDifferences` does not allow, as `call: difference`. */
  leaks: string[]
  /** Allowed differences about the alert, with time and position removed. */
  shown: string[]
}

const logCallNames: ReadRequest['name'][] = [
  ...(['logHead', 'logCheckpoint', 'logAnchors', 'logEntries', 'logStats', 'systemStatus'] as const),
  ...(['trackRecord', 'trackRecordAlerts', 'exportTrackRecord', 'trackRecordPage'] as const),
  'readiness',
]

/** Reads everything before and after `act`, as each of the readers in `names`. */
async function measureChange(
  act: () => Promise<unknown>,
  names: (keyof typeof readers)[],
  prepare?: () => Promise<unknown>,
): Promise<Record<string, VisibleChange>> {
  await passTime(5 * MINUTE_MS)
  await prepare?.()
  await waitUntilSettled()
  nextIndex = (await server.createClient().call('logHead')).size
  const before = new Map<string, Answers>()
  for (const name of names) await renewFeed(readers[name].id)
  for (const name of names) {
    // The first call that marks alerts as read changes the results of later calls, so make it
    // before the comparison.
    if (name !== 'anonymous') await readers[name].traced.call('markAllRead', { body: { upTo: 1_000_000 } })
    before.set(name, await readAll(readers[name]))
  }
  await act()
  const createdAt = clock.now().toISOString()
  // Cached responses contain their time, so a later time shows that they are new.
  clock.advance(CHAIN_LEAD_MS)
  await waitUntilSettled()
  const changes: Record<string, VisibleChange> = {}
  for (const name of names) {
    const after = await readAll(readers[name])
    const change: VisibleChange = { leaks: [], shown: [] }
    for (const [key, { name: call, lines }] of after) {
      const linesBefore = before.get(name)?.get(key)?.lines ?? new Map<string, string>()
      const foundDifferences = listDifferences(linesBefore, lines)
      const allowedPatterns = allowedDifferences[call] ?? []
      const isAllowed = (line: string) =>
        allowedPatterns.some((pattern) => pattern.test(line)) && !rarePattern.test(line)
      change.leaks.push(...foundDifferences.filter((line) => !isAllowed(line)).map((line) => `${key}: ${line}`))
      if (logCallNames.includes(call)) continue
      const generalize = (line: string) =>
        line
          .replaceAll(createdAt, 'NOW')
          .replace(/locked-\d+/g, 'locked-PLACE')
          .replace(/(logIndex added) \d+/, '$1 PLACE')
          .replace(/((leafHash|publicAt) added) .*/, '$1 OF THIS ALERT')
      const alertDifferences = foundDifferences.filter((line) => isAllowed(line) && !/^(until|exportedAt) /.test(line))
      change.shown.push(...alertDifferences.map((line) => `${key}: ${generalize(line)}`))
    }
    change.shown.sort()
    changes[name] = change
  }
  return changes
}

const createCriticalContent = (rest: Partial<AlertContent>): AlertContent => ({
  asset: 'ETH/USDT',
  anomalyType: 'Volume spike',
  regime: '',
  summary: 'Volume rose',
  confidence: 90,
  ...rest,
  priority: 'critical',
})
const createSignalNow = (id: string, rest: object = {}) => ({ id, observedAt: clock.now().toISOString(), ...rest })

const broadcasts: [string, () => Promise<unknown>][] = [
  [
    'an alert of an ordinary asset',
    () => issue({ content: createCriticalContent({}), origin: 'admin', broadcast: true }),
  ],
  [
    'an alert of a rare asset and type with an odd confidence',
    () =>
      issue({ content: createCriticalContent({ ...RARE_CONTENT, confidence: 3.7 }), origin: 'admin', broadcast: true }),
  ],
  ['an alert from the feed', () => sendSignal(createSignalNow('sent'))],
  [
    'a correction of a public alert',
    () =>
      issue({
        kind: 'correction',
        targetId: publicIds[0] ?? '',
        content: createCriticalContent({ asset: 'BTC/USDT', confidence: 12.3 }),
        broadcast: true,
      }),
  ],
  [
    'a retraction of a public alert',
    () => issue({ kind: 'retraction', targetId: publicIds[1] ?? '', reason: 'It is retracted', broadcast: true }),
  ],
]
/** Actions that create no broadcast alert: a draft, a retraction and a late signal. */
const unsentChanges: (() => Promise<unknown>)[] = [
  () =>
    issue({ content: createCriticalContent({ ...RARE_CONTENT, confidence: 41.9 }), origin: 'admin', broadcast: false }),
  () => issue({ kind: 'retraction', targetId: publicIds[2] ?? '', reason: 'It is retracted', broadcast: false }),
  () =>
    sendSignal(
      createSignalNow('late', {
        asset: 'LATE/USDT',
        observedAt: new Date(clock.now().getTime() - 2 * HOUR_MS).toISOString(),
      }),
    ),
]

test('recent alerts: the test covers every call of the protocol', () => {
  const others = Object.entries(endpoints).flatMap(([name, { method, access }]) =>
    method === 'GET' || access === 'admin' || readingPosts.some((reading) => reading === name) ? [] : [name],
  )
  expect(others.sort()).toEqual([...callerWrites].sort())
  const keys = new Set(listApiReads(unknownId).map(({ name }) => name))
  const gets = Object.entries(endpoints).filter(([, { method }]) => method === 'GET')
  expect(gets.filter(([name]) => ![...keys].some((key) => key === name))).toEqual([])
})

test('recent alerts: the test covers every route that the protocol does not list', () => {
  const calls = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`)
  const isFileRoute = (path: string) =>
    path === '/assets/:file(^\\w[\\w.-]*\\.\\w+$)' || existsSync(join(site.webDir, path))
  const routes = servedRoutes(app)
    .filter(({ method, path }) => !calls.includes(`${method} ${path}`) && !isFileRoute(path))
    .map(({ method, path }) => `${method} ${path}`)
  const listed = Object.values(otherReads).flatMap(({ route }) => (route === null ? [] : [`GET ${route}`]))
  expect(routes.sort()).toEqual(listed.sort())
})

describe('callers who may not read a recent alert', () => {
  test('see only time, priority and log data of a broadcast alert, regardless of its content', async () => {
    const shownByChange: Record<string, unknown> = {}
    for (const [name, act] of broadcasts) {
      const changes = await measureChange(act, ['anonymous', 'free'])
      for (const [reader, { leaks }] of Object.entries(changes)) {
        const others = leaks.filter((line) => !timeToAnchorPattern.test(line))
        expect(others, `${name} for ${reader}`).toEqual([])
      }
      shownByChange[name] = Object.fromEntries(
        Object.entries(changes).map(([reader, change]) => [reader, change.shown]),
      )
    }
    const [first, ...others] = broadcasts.map(([name]) => shownByChange[name])
    expect(JSON.stringify(first)).toContain('searchAlerts?limit=100: items[locked-PLACE].alert.priority added')
    for (const [at, other] of others.entries()) expect(other, broadcasts[at + 1]?.[0]).toEqual(first)
  })

  test('see no more as former subscribers or as support staff', async () => {
    const [, [, rare] = []] = broadcasts
    if (!rare) throw new Error('It is in the table')
    // Sign in again: the session of a member of staff ends after 30 minutes without a request.
    await logInAgain('support', readers.support)
    const changes = await measureChange(rare, ['former', 'support'])
    for (const [reader, { leaks }] of Object.entries(changes)) {
      const others = leaks.filter((line) => !timeToAnchorPattern.test(line))
      expect(others, reader).toEqual([])
    }
    expect(changes.support?.shown).toEqual(changes.former?.shown)
  })

  test('see only log data of an alert that was not broadcast, even with a subscription', async () => {
    // None of these alerts may be shown, so check them together: reading everything takes seconds.
    const changes = await measureChange(async () => {
      for (const act of unsentChanges) await act()
    }, ['anonymous', 'free', 'subscriber'])
    for (const [reader, { leaks, shown }] of Object.entries(changes)) {
      // Subscribers see the number of received signals.
      const ofFeed = /^systemStatus: feed\.(signalsReceived|lastSignalAt) /
      const found = reader === 'subscriber' ? leaks.filter((line) => !ofFeed.test(line)) : leaks
      expect([...found, ...shown], reader).toEqual([])
    }
  })

  test('receive no message about it on an open socket', async () => {
    const openStream = async (client: TestClient | null) => {
      const headers = client ? { origin: server.url, cookie: client.cookie() } : {}
      const { frames, send, close } = await openSocket(server.url, headers)
      const messages = () => frames.map((frame) => serverMessage.parse(JSON.parse(frame)))
      const count = (type: string) => messages().filter((message) => message.type === type).length
      return { messages, count, send, close }
    }
    const walletAddress = parts.chain.wallet(1).account.address
    const subscriber = await openStream(readers.subscriber.main)
    subscriber.send({ type: 'authenticate', walletAddress })
    await eventually(() => expect(subscriber.count('live')).toBe(1))
    const program = await openStream(null)
    const otherSockets = [
      {
        ...program,
        name: 'anonymous',
        ask: () => program.send({ type: 'auth', walletAddress, message: 'none', signature: '0x00', lastIndex: 0 }),
      },
      ...(await Promise.all(
        (['free', 'former'] as const).map(async (name) => {
          const socket = await openStream(readers[name].main)
          return { ...socket, name, ask: () => socket.send({ type: 'authenticate', walletAddress, lastIndex: 0 }) }
        }),
      )),
    ]
    for (const { ask: askFor } of otherSockets) askFor()

    const firstAlert = await issue({ content: createCriticalContent(RARE_CONTENT), origin: 'admin', broadcast: true })
    await sendSignal(createSignalNow('on sockets', { asset: 'SOCKET/USDT' }))
    for (const act of unsentChanges.slice(0, 1)) await act()
    const lastAlert = await issue({ content: createCriticalContent({}), origin: 'admin', broadcast: true })
    await waitUntilSettled()
    const hasReceived = (index: number, isUpdate?: boolean) =>
      subscriber
        .messages()
        .some(
          (message) =>
            message.type === 'new_alert' && message.alert.logIndex === index && message.isUpdate === isUpdate,
        )
    // The stream sends in the order of the log.
    await eventually(() => {
      for (const { logIndex } of [firstAlert, lastAlert])
        expect([hasReceived(logIndex), hasReceived(logIndex, true)]).toEqual([true, true])
    })
    for (const { name, count, ask: askFor, messages, close } of otherSockets) {
      // A socket responds in order, so this response arrives after everything that was sent before.
      const failuresBefore = count('authentication_failed')
      askFor()
      await eventually(() => expect(count('authentication_failed'), name).toBeGreaterThan(failuresBefore))
      const types = new Set(messages().map(({ type }) => type))
      for (const expected of ['challenge', 'authentication_failed', 'heartbeat'] as const) types.delete(expected)
      expect([...types], name).toEqual([])
      close()
    }
    subscriber.close()
  })

  test('see nothing of a merged or refused signal', async () => {
    const startRunningSignal = () => sendSignal(createSignalNow('running', { asset: 'RUN/USDT' }))
    const act = async () => {
      await sendSignal(createSignalNow('repeat', { asset: 'RUN/USDT' }))
      await sendSignal(createSignalNow('', {}))
    }
    const changes = await measureChange(act, ['anonymous', 'free'], startRunningSignal)
    for (const [reader, { leaks, shown }] of Object.entries(changes)) expect([...leaks, ...shown], reader).toEqual([])
  })
})

test('log entries: bytes and signature of a recent entry are sent only to readers of the alert and are not cacheable', async () => {
  const { logIndex: freshIndex } = await issue({
    content: createCriticalContent(RARE_CONTENT),
    origin: 'admin',
    broadcast: true,
  })
  const { logIndex: draftIndex } = await issue({
    content: createCriticalContent(RARE_CONTENT),
    origin: 'admin',
    broadcast: false,
  })
  await waitUntilSettled()
  const admin = await server.signInAdmin()
  for (const [name, client, readableIndexes] of [
    ['anonymous', readers.anonymous.main, []],
    ['free', readers.free.main, []],
    ['subscriber', readers.subscriber.main, [freshIndex]],
    ['admin', admin, [freshIndex, draftIndex]],
  ] as const) {
    for (const index of [freshIndex, draftIndex]) {
      const mayRead = readableIndexes.some((one) => one === index)
      const readLog = (path: string) => sendReadRequest({ method: 'GET', path: `/api/log/${path}` }, client)
      const entriesResponse = await readLog(`entries?from=${index}&limit=1`)
      const [entry] = logEntries.parse(JSON.parse(entriesResponse.body)).entries
      expect([entry?.bytes !== null, entry?.signature !== null], name).toEqual([mayRead, mayRead])
      const inclusionResponse = await readLog(`inclusion?index=${index}&size=${index + 1}`)
      expect(inclusionResponse.status, name).toBe(mayRead ? 200 : 403)
      for (const { headers } of [entriesResponse, inclusionResponse])
        expect([headers['cache-control'], headers.etag]).toEqual(['no-store', undefined])
      if (!mayRead) continue
      expect(JSON.parse(inclusionResponse.body)).toMatchObject(entry ?? {})
      expect(bytesToHex(hashLeaf(Buffer.from(entry?.bytes ?? '')))).toBe(entry?.leafHash)
    }
  }
  // For public entries, only responses without a session may be cached.
  const readCaching = async (client: TestClient) =>
    (await sendReadRequest({ method: 'GET', path: '/api/log/inclusion?index=0&size=1' }, client)).headers[
      'cache-control'
    ]
  expect(await readCaching(readers.anonymous.main)).toBe('public, max-age=60')
  expect(await readCaching(readers.subscriber.main)).toBe('no-store')
})

describe('the id of an unreadable alert', () => {
  /** Each call that accepts an alert id. */
  const listRequestsWithId = (id: string): Omit<ReadRequest, 'name'>[] => {
    const paths = Object.values(endpoints).filter(({ path }) => /\/alerts\/:id/.test(path))
    return [
      ...paths.map(({ method, path }) => ({
        key: path,
        method,
        path: path.replace(':id', id),
        ...(method === 'GET' ? {} : { body: '{}' }),
      })),
      { key: 'search', method: 'GET', path: `/api/alerts/search?q=${id}` },
      { key: 'export', method: 'GET', path: `/api/alerts/export.json?q=${id}` },
      { key: 'read', method: 'POST', path: '/api/alerts/read', body: JSON.stringify({ ids: [id] }) },
      {
        key: 'verify',
        method: 'POST',
        path: '/api/alerts/verify',
        body: JSON.stringify({ alertId: id, signature: zeroHash, merklePath: [], avalancheTx: '' }),
      },
    ]
  }

  test('gets the same response as an unknown id', async () => {
    const { id: freshId } = await issue({
      content: createCriticalContent(RARE_CONTENT),
      origin: 'admin',
      broadcast: true,
    })
    const { id: draftId } = await issue({
      content: createCriticalContent(RARE_CONTENT),
      origin: 'admin',
      broadcast: false,
    })
    await waitUntilSettled()
    const readAnswers = async (id: string, client: TestClient) => {
      const answers: Record<string, unknown> = {}
      for (const { key, ...question } of listRequestsWithId(id)) {
        const { status, body } = await sendReadRequest(question, client)
        const lines = flatten(parseBody(body))
        lines.delete('requestId')
        answers[key] = [status, ...lines]
      }
      return answers
    }
    for (const [name, ids] of [
      ['anonymous', [freshId, draftId]],
      ['free', [freshId, draftId]],
      ['subscriber', [draftId]],
    ] as const) {
      const { traced } = readers[name]
      const unknownAnswers = await readAnswers(unknownId, traced)
      expect(Object.keys(unknownAnswers).length).toBeGreaterThan(5)
      for (const id of ids) expect(await readAnswers(id, traced), `${name}, ${id}`).toEqual(unknownAnswers)
    }
  })

  test('appears in no response, so that its leaf hash can’t be guessed', async () => {
    const { logIndex } = await issue({
      kind: 'retraction',
      targetId: publicIds[3] ?? '',
      reason: 'The feed had read a stale order book.',
      broadcast: true,
    })
    await waitUntilSettled()
    const [entry] = await server.ctx.db.select().from(logEntryTable).where(eq(logEntryTable.index, logIndex))
    if (!entry) throw new Error('The entry is not there')
    // The attacker knows or guesses the whole statement and even the salt, but not the id.
    const statement = decodeAlert(entry.bytes)
    const getLeafHash = (id: string) => bytesToHex(hashLeaf(encodeAlert({ ...statement, id })))
    const { entries } = logEntries.parse(
      await server.createClient().call('logEntries', { query: { from: logIndex, limit: 1 } }),
    )
    const publishedHash = entries[0]?.leafHash
    expect(getLeafHash(statement.id)).toBe(publishedHash)

    for (const name of ['anonymous', 'free'] as const) {
      const answers = await readAll(readers[name])
      const texts = [...answers.values()].flatMap(({ lines }) => [...lines].flat())
      const candidates = new Set(
        texts.flatMap((text) => [text.replaceAll('"', ''), ...(text.match(/[\w-]{8,}/g) ?? [])]),
      )
      expect(candidates.size).toBeGreaterThan(100)
      expect([...candidates].filter((id) => getLeafHash(id) === publishedHash)).toEqual([])
      for (const secret of [statement.id, statement.salt ?? statement.id]) expect(texts.join()).not.toContain(secret)
    }
  })
})

describe('the outcome of a recent alert', () => {
  let signal: string
  let outcome: string
  const readPath = (path: string, client: TestClient) => sendReadRequest({ method: 'GET', path }, client)

  test('reveals only log data to callers who may not read the alert', async () => {
    const predict = async () => {
      signal = createPredictedSignal('predicted', clock.now(), RARE_CONTENT)
      await receiveTexts([signal])
      await waitUntilSettled()
      await passTime(7 * MINUTE_MS)
      outcome = createOutcomeMessage(signal)
    }
    const changes = await measureChange(() => receiveTexts([outcome]), ['anonymous', 'free'], predict)
    for (const [reader, { leaks, shown }] of Object.entries(changes)) expect([...leaks, ...shown], reader).toEqual([])
  })

  test('is shown only to subscribers, with the feed messages byte for byte', async () => {
    const hashes = [signal, outcome].map((text) => hashSignal(text))
    for (const [name, client, isReadable] of [
      ['anonymous', readers.anonymous.main, false],
      ['free', readers.free.main, false],
      ['subscriber', readers.subscriber.main, true],
    ] as const) {
      const unknownResponse = await readPath(`/api/log/messages/${zeroHash}`, client)
      const answers = await Promise.all(hashes.map((hash) => readPath(`/api/log/messages/${hash}`, client)))
      const withoutRequestId = ({ status, body }: RawAnswer) => [status, body.replace(/"requestId":"[^"]+"/, '')]
      const expected = isReadable
        ? [signal, outcome].map((body) => [200, body])
        : [unknownResponse, unknownResponse].map(withoutRequestId)
      expect(answers.map(withoutRequestId), name).toEqual(expected)
      for (const { headers } of answers) expect(headers['cache-control'], name).toBe('no-store')
      const { messages } = logMessages.parse(JSON.parse((await readPath('/api/log/messages', client)).body))
      expect(messages.filter(({ message }) => [signal, outcome].includes(message)).length, name).toBe(
        isReadable ? 2 : 0,
      )
    }
    const [alert] = await readers.subscriber.main.call('recentAlerts', { query: { limit: 1 } })
    const { prediction, model } = JSON.parse(signal)
    expect(alert).toMatchObject({ prediction, model, outcome: { verdict: 'came-true', measured: '1' } })
    const bundle = await readers.subscriber.main.call('alertBundle', { params: { id: alert?.id ?? '' } })
    expect(bundle.outcomes).toHaveLength(1)
  })

  test('reaches live and reconnecting subscribers as an update of the alert', async () => {
    const listenFrom = async (lastIndex?: number) => {
      const cookie = readers.subscriber.main.cookie()
      const socket = await openSocket(server.url, { origin: server.url, cookie })
      const walletAddress = parts.chain.wallet(1).account.address
      socket.send({ type: 'authenticate', walletAddress, ...(lastIndex === undefined ? {} : { lastIndex }) })
      const messages = () => socket.frames.map((frame) => serverMessage.parse(JSON.parse(frame)))
      await eventually(async () => expect(messages()).toContainEqual(expect.objectContaining({ type: 'live' })))
      const updates = () =>
        messages().flatMap((message) =>
          message.type === 'new_alert' && message.alert.outcome
            ? [{ ...message.alert.outcome, isUpdate: message.isUpdate, alertIndex: message.alert.logIndex }]
            : [],
        )
      return { updates, messages, close: socket.close }
    }
    const liveListener = await listenFrom()
    const sentSignal = createPredictedSignal('live', clock.now(), { asset: 'LIVE/USDT' })
    await receiveTexts([sentSignal])
    await waitUntilSettled()
    await passTime(7 * MINUTE_MS)
    await receiveTexts([createOutcomeMessage(sentSignal, { last: '100.5' })])
    const expected = { verdict: 'did-not', measured: '0.5', isUpdate: true }
    await eventually(async () => expect(liveListener.updates()).toContainEqual(expect.objectContaining(expected)))
    const [firstUpdate] = liveListener.updates()
    liveListener.close()

    const reconnectedListener = await listenFrom(firstUpdate?.alertIndex)
    expect(reconnectedListener.updates()).toMatchObject([{ ...expected, logIndex: firstUpdate?.logIndex }])
    expect(reconnectedListener.messages()).toContainEqual(
      expect.objectContaining({ type: 'live', lastIndex: firstUpdate?.logIndex }),
    )
    reconnectedListener.close()
    const upToDate = await listenFrom(firstUpdate?.logIndex)
    expect(upToDate.messages().filter(({ type }) => type === 'new_alert')).toEqual([])
    upToDate.close()
  })

  test('becomes public with the alert and the candles of its day, and then counts in the track record', async () => {
    const { prediction } = JSON.parse(signal)
    const { venue, market, startsAt } = prediction
    const day = startsAt.slice(0, 10)
    const candles = createCandles(prediction, '101').filter(([openTime]) => openTime >= Date.parse(day) / 1000)
    await receiveTexts([JSON.stringify({ type: 'candles', venue, market, day, candles })])
    const path = `/api/log/candles/${venue}/${market}/${day}`
    const anonymous = readers.anonymous.main
    expect((await readPath(path, anonymous)).status).toBe(404)
    const recordBefore = await anonymous.call('trackRecord', { query: {} })
    expect(recordBefore.record?.overall.strict.n).toBe(0)

    await passTime(25 * HOUR_MS)
    await issue({ content: createCriticalContent({}), origin: 'admin', broadcast: false })
    clock.advance(CHAIN_LEAD_MS)
    await waitUntilSettled()
    expect(JSON.parse((await readPath(path, anonymous)).body)).toEqual({ candles })
    expect((await readPath(`/api/log/messages/${hashSignal(outcome)}`, anonymous)).body).toBe(outcome)
    expect((await anonymous.call('logStats')).outcomes).toBe(2)
    await eventually(async () => {
      const { record } = await anonymous.call('trackRecord', { query: {} })
      expect(record?.overall).toMatchObject({ strict: { n: 2, count: 1 }, statuses: { true: 1, false: 1 } })
    })
    const { items } = await anonymous.call('trackRecordAlerts', {
      query: { by: 'type', key: RARE_CONTENT.anomalyType, status: 'true' },
    })
    expect(items).toMatchObject([
      { alert: { asset: RARE_CONTENT.asset }, outcome: { verdict: 'came-true' }, prediction },
    ])
  })
})
