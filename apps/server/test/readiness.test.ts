import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { productionEnv } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { leaderLocks } from '../src/db/leader.ts'
import { signInFailures } from '../src/features/accounts/failure-alarm.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { receiveSignals } from '../src/features/feed/receive-signals.ts'
import { checkLog } from '../src/features/tlog/check-log.ts'
import { send } from './raw-client.ts'
import { createCliTestBed } from './support/cli-test-bed.ts'

const parts = useTestDatabaseAndChain()
let server: TestServer

const SECRET = 'a-token-that-no-line-may-contain'

afterEach(async () => {
  await server?.close()
})

async function runStatus(): Promise<{ code: number; out: string }> {
  const bed = createCliTestBed(productionEnv(server.ctx.config.databaseUrl, parts.chain))
  try {
    return await bed.run(`status --url ${server.url}`)
  } finally {
    bed.remove()
  }
}

// These functions repeat the request, because a check or a measurement that takes longer than 2 s
// fails.
async function expectStatus(expected: object): Promise<void> {
  await eventually(async () => expect(await runStatus()).toMatchObject(expected))
}

async function expectReadiness(expected: object): Promise<void> {
  await eventually(async () => {
    const { status, body } = await send(server.url, { path: '/readyz' })
    expect([status, JSON.parse(body)]).toEqual([200, expected])
  })
}

test('readiness: names unreachable chains and an unreachable feed while the server keeps serving', async () => {
  server = await startTestServer(parts, { payment: {}, anchor: {}, feed: { endpoint: 'ws://127.0.0.1:9' } })
  await expectReadiness({
    status: 'degraded',
    reasons: {
      anchoring: 'the anchor chain: HTTP request failed.',
      payments: 'the payment chain has not been read yet',
      feed: 'the signal feed is not connected, trying again',
    },
  })
  await expectStatus({
    code: 3,
    out: expect.stringContaining(': degraded\n  anchoring: the anchor chain: HTTP request failed.\n'),
  })
})

test('readiness: reports a replica URL whose database is not a replica of the primary, and exports NaN as the replica lag', async () => {
  server = await startTestServer(parts, { replicaUrl: await parts.database.createDatabase() })
  await expectReadiness({
    status: 'degraded',
    reasons: { replica: 'the database of DATABASE_REPLICA_URL is not a replica, or was promoted' },
  })
  await eventually(async () => {
    const { body } = await send(server.url, { path: '/metrics' })
    expect(body).toMatch(/^tocsin_check_ok\{check="replica"\} 0$/m)
    expect(body).toMatch(/^tocsin_replica_lag_seconds Nan$/m)
  })
})

test('readiness: reports a wrong clock, which stops issuing until it is corrected', async () => {
  let offsetMs = 0
  const lines: string[] = []
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) })
  const now = () => new Date(Date.now() + offsetMs)
  server = await startTestServer(parts, {}, { clock: { ...systemClock, now }, logger })
  const admin = await server.signInAdmin()
  const body = {
    asset: 'BTC',
    anomalyType: 'Spike',
    confidence: 90,
    regime: 'trend',
    summary: 'text',
    priority: 'low',
  } as const
  await admin.call('createAlert', { body })
  offsetMs = 60_000
  await expect(admin.call('createAlert', { body })).rejects.toMatchObject({
    status: 503,
    code: 'clock_wrong',
    // The difference may be less than 60 s, because the database responds some time after this
    // machine's clock was read.
    message: expect.stringMatching(/(5\d|60) s ahead of the database's clock/),
  })
  await expectReadiness({ status: 'degraded', reasons: { clock: expect.stringContaining('appends no entries') } })
  await eventually(async () => {
    const metrics = await send(server.url, { path: '/metrics' })
    expect(metrics.body).toMatch(/^tocsin_clock_ahead_seconds (5\d|60)\b/m)
  })
  await expect.poll(() => lines.join('')).toMatch(/"check":"clock",.*"a check of \/readyz fails"/)
  offsetMs = 0
  await admin.call('createAlert', { body })
  await expectReadiness({ status: 'ready', reasons: {} })
  await expect.poll(() => lines.join('')).toMatch(/"check":"clock",.*"a check of \/readyz passes again"/)
  await checkLog(server.ctx)
})

const opsFolder = new URL('../../../ops/', import.meta.url)
const guideUrl = new URL('../../../docs/operating.md', import.meta.url)
const readOpsFile = (name: string) => readFileSync(new URL(name, opsFolder), 'utf8')

test('readiness: is ready when all checks pass, and /metrics has every metric that alert rules and dashboard use', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) })
  server = await startTestServer(parts, {}, { logger })
  await expectReadiness({ status: 'ready', reasons: {} })
  await expectStatus({
    code: 0,
    out: expect.stringMatching(/: ready\n {2}version: .*\n(.*\n)* {2}clock difference in seconds: \S+\n/),
  })
  await receiveSignals(server.ctx, createIssuer(server.ctx), ['{}'], new AbortController().signal)
  await eventually(async () => {
    const { out } = await runStatus()
    expect(out).toMatch(/^ {2}age of the newest signal in seconds: \d/m)
    expect(out).toMatch(/^ {2}payment lag in seconds, chain 31337: \d/m)
    for (const queue of ['mail', 'channels']) {
      expect(out).toMatch(new RegExp(`^ {2}due messages, queue ${queue}: \\d+\n`, 'm'))
      expect(out).toMatch(new RegExp(`^ {2}age of the oldest due message in seconds, queue ${queue}: \\d`, 'm'))
    }
    expect(out).not.toMatch(/: nan$/im)
  })
  const admin = await server.signInAdmin()
  const failuresBefore = signInFailures.total
  await admin.call('login', { body: { email: 'stranger@example.com', password: SECRET } }).catch(() => {})
  expect(signInFailures.total).toBe(failuresBefore + 1)
  await admin.call('verifyEmail', { query: { token: SECRET } }).catch(() => {})
  await send(server.url, { path: `/api/account?token=${SECRET}`, headers: { authorization: `Bearer ${SECRET}` } })
  await send(server.url, { path: '/metrics' })
  await eventually(async () => {
    const { body } = await send(server.url, { path: '/metrics' })
    expect(body).toMatch(/^tocsin_check_ok\{check="payments"\} 1$/m)
    expect(body).toMatch(/^tocsin_queue_age_seconds\{queue="channels"\} 0$/m)
    expect(body).toMatch(/^tocsin_payment_lag_seconds\{chain_id="31337"\} \d/m)
    expect(body).toMatch(
      /^tocsin_http_request_duration_seconds_count\{method="POST",route="\/api\/auth\/login",code="2xx"\} \d/m,
    )
    expect(body).toMatch(/^tocsin_rpc_request_duration_seconds_count\{node="127.0.0.1:\d+",outcome="ok"\} \d/m)
    expect(body).toMatch(/^tocsin_sessions 1$/m)
    const exportedMetrics = new Set(Array.from(body.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name))
    const usedMetrics = `${readOpsFile('alert-rules.yml')}${readOpsFile('grafana-dashboard.json')}`.matchAll(
      /\b(tocsin|nodejs|process)_\w+/g,
    )
    const usedNames = new Set(Array.from(usedMetrics, ([name]) => name.replace(/_(bucket|count|sum)$/, '')))
    expect([...usedNames].filter((name) => !exportedMetrics.has(name))).toEqual([])
    const ownMetrics = [...exportedMetrics].filter((name): name is string => name?.startsWith('tocsin_') ?? false)
    expect(ownMetrics.filter((name) => !usedNames.has(name))).toEqual([])
    const table =
      readFileSync(guideUrl, 'utf8')
        .match(/^\| `.*\|$/gm)
        ?.join('\n') ?? ''
    expect(ownMetrics.filter((name) => !table.includes(`\`${name}\``))).toEqual([])
    const counters = Array.from(body.matchAll(/^# TYPE (tocsin_\S+) counter$/gm), ([, name]) => name)
    expect(counters).toEqual(ownMetrics.filter((name) => name.endsWith('_total')))
    // A counter whose total is counted outside of the metrics must be set at each scrape. If the
    // total was added to the previous value, the counter would be too high.
    expect(body).toMatch(new RegExp(`^tocsin_sign_in_failures_total ${signInFailures.total}$`, 'm'))
  })
  const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  expect(requests).toContainEqual(
    expect.objectContaining({ method: 'POST', route: '/api/auth/login', status: 200, durationMs: expect.any(Number) }),
  )
  expect(requests.every(({ reqId }) => typeof reqId === 'string')).toBe(true)
  const { ctx, firstAdmin } = server
  for (const secret of [SECRET, firstAdmin.password, firstAdmin.email, ctx.config.appSecret, ctx.config.signerKey]) {
    expect(lines.join('')).not.toContain(secret)
  }
})

test('Prometheus alert rules: each has a section in the operating guide', () => {
  const headings = new Set(
    Array.from(readFileSync(guideUrl, 'utf8').matchAll(/^#+ (.+)$/gm), ([, title = '']) => title.toLowerCase()),
  )
  const alerts = Array.from(readOpsFile('alert-rules.yml').matchAll(/- alert: (\w+)/g), ([, name = '']) =>
    name.toLowerCase(),
  )
  const linked = Array.from(readOpsFile('alert-rules.yml').matchAll(/runbook_url: \S+#(\S+)/g), ([, anchor]) => anchor)
  expect(alerts.length).toBeGreaterThan(15)
  expect(linked).toEqual(alerts)
  expect(alerts.filter((name) => !headings.has(name))).toEqual([])
})

test('Prometheus alert rules: each has a unit test for promtool, in the same order', () => {
  const listNames = (file: string, key: string) =>
    Array.from(readOpsFile(file).matchAll(new RegExp(`- ${key}: (\\w+)`, 'g')), ([, name]) => name)
  const testedNames = listNames('alert-rules.test.yml', 'name')
  expect([...new Set(testedNames)]).toEqual(listNames('alert-rules.yml', 'alert'))
})

test('Prometheus alert rules: TocsinNotLeading counts every job, and docs/operating.md lists each of them', () => {
  const jobs = Object.keys(leaderLocks)
  expect(readOpsFile('alert-rules.yml')).toContain(`"sum(tocsin_leads) < ${jobs.length} or absent(tocsin_leads)"`)
  const [, section = ''] = readFileSync(guideUrl, 'utf8').split('#### TocsinNotLeading')
  const [text = ''] = section.split('####')
  expect(jobs.filter((job) => !new RegExp(`\\b${job}\\b`).test(text))).toEqual([])
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
test.skipIf(!hasPromtool)('Prometheus alert rules: promtool accepts them, and each fires on its condition', () => {
  const runPromtool = (...args: string[]) => execFileSync('promtool', args, { cwd: opsFolder, encoding: 'utf8' })
  expect(runPromtool('check', 'rules', 'alert-rules.yml')).toMatch(/SUCCESS: \d+ rules found/)
  expect(runPromtool('test', 'rules', 'alert-rules.test.yml')).toContain('SUCCESS')
})
