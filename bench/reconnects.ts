import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import WebSocket from 'ws'
import { describeMachine } from '../scripts/describe-machine.ts'
import { addSubscribers } from './fanout/subscribers.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures how long many subscribers take to be live again when all of them reconnect, as after a
 * restart, and the load on the database. Each subscriber has missed a few alerts. The subscribers
 * run in the server's process.
 * Usage: node --import tsx bench/reconnects.ts [subscribers = 1000] [milliseconds = 4000]
 */
const SUBSCRIBER_COUNT = Number(process.argv[2] ?? 1_000)
const RECONNECT_PERIOD_MS = Number(process.argv[3] ?? 4_000)
const ROUNDS = 3
const MISSED_ALERTS = 14
/** Timeout after which a connection counts as failed. */
const LIVE_TIMEOUT_MS = 60_000

const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const dir = await mkdtemp(join(tmpdir(), 'tocsin-reconnects-'))
// Each connection has its own address, because connections per address are limited.
const server = await startTestServer({ database, chain }, { http: { trustedProxies: 1 } })
try {
  await addSubscribers(server.ctx, SUBSCRIBER_COUNT, join(dir, 'subscribers'))
  // Make the sessions look as if they were last used ten minutes ago.
  await server.ctx.db.execute(`update sessions set last_seen_at = now() - interval '10 minutes'`)
  const lastIndex = await issueAlerts(server)
  const accounts = (await readFile(join(dir, 'subscribers'), 'utf8')).trim().split('\n')
  console.log(describeMachine())
  for (let round = 1; round <= ROUNDS; round++) await measureRound(round, accounts, lastIndex - MISSED_ALERTS)
} finally {
  await server.close()
  await Promise.all([database.stop(), chain.stop(), rm(dir, { recursive: true })])
}

async function issueAlerts({ ctx }: TestServer): Promise<number> {
  const issue = createIssuer(ctx)
  const content = { asset: 'BTC/USDT', anomalyType: '', regime: '', summary: 'Volume', confidence: 91.5 }
  const issuedAlerts = await Promise.all(
    Array.from({ length: 20 }, () =>
      issue({ content: { ...content, priority: 'high' }, origin: 'admin', broadcast: true }),
    ),
  )
  return Math.max(...issuedAlerts.map(({ alert }) => alert.logIndex))
}

async function measureRound(round: number, accounts: string[], lastIndex: number): Promise<void> {
  const transactionsBefore = await countTransactions()
  const beganAtMs = performance.now()
  const reconnections = await Promise.all(accounts.map((account, index) => reconnectAccount(account, index, lastIndex)))
  const seconds = (performance.now() - beganAtMs) / 1_000
  const transactionCount = (await countTransactions()) - transactionsBefore
  const times = reconnections.flatMap(({ liveAfterMs }) => liveAfterMs ?? [])
  const formatPercentile = (share: number) => computePercentile(times, share).toFixed(0)
  console.log(
    `round ${round}: ${times.length} of ${accounts.length} live again within ${seconds.toFixed(1)} s, after ${formatPercentile(0.5)} ms (median), ${formatPercentile(0.99)} ms (99 %);`,
    `${transactionCount} transactions of the database, ${(transactionCount / accounts.length).toFixed(2)} each, ${(transactionCount / seconds).toFixed(0)}/s`,
  )
  for (const { socket } of reconnections) socket.terminate()
}

/** Returns the number of database transactions. A query outside a transaction counts as one. */
async function countTransactions(): Promise<number> {
  // Wait, because PostgreSQL updates its statistics only about once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const { rows } = await server.ctx.db.execute<{ count: string }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.count)
}

async function reconnectAccount(account: string, accountIndex: number, lastIndex: number) {
  await new Promise((resolve) => setTimeout(resolve, (RECONNECT_PERIOD_MS * accountIndex) / SUBSCRIBER_COUNT))
  const [cookie = '', walletAddress = ''] = account.split(' ')
  const headers = {
    cookie,
    origin: server.ctx.config.http.publicUrl,
    'x-forwarded-for': `10.0.${accountIndex >> 8}.${accountIndex & 255}`,
  }
  const beganAtMs = performance.now()
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, { headers })
  const isLive = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), LIVE_TIMEOUT_MS)
    const finish = (isReached: boolean) => {
      clearTimeout(timer)
      resolve(isReached)
    }
    socket.on('open', () => socket.send(JSON.stringify({ type: 'authenticate', walletAddress, lastIndex })))
    socket.on('message', (text) => {
      if (String(text).startsWith('{"type":"live"')) finish(true)
    })
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
  })
  return { socket, liveAfterMs: isLive ? performance.now() - beganAtMs : null }
}
