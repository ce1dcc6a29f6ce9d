import { fork } from 'node:child_process'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { describeMachine } from '../scripts/describe-machine.ts'
import { startSender } from './feed/sender.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures a whole server that receives signals from a feed in another process. Every signal names
 * a different asset, so that each becomes an alert that is signed, logged and stored.
 * Usage: node --import tsx bench/feed.ts [signals per second = 1000] [seconds = 60]
 */
const SIGNALS_PER_SECOND = Number(process.argv[2] ?? 1_000)
const SECONDS = Number(process.argv[3] ?? 60)
const SENDER_FLAG = '--send'
/**
 * Extra time for the server to process all signals. Signals that it has not read wait at the
 * sender.
 */
const GRACE_SECONDS = 180

if (process.argv.includes(SENDER_FLAG)) {
  await startSender(SIGNALS_PER_SECOND, SECONDS)
} else {
  await measureFeed()
}

async function measureFeed(): Promise<void> {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  const sender = fork(new URL(import.meta.url), [String(SIGNALS_PER_SECOND), String(SECONDS), SENDER_FLAG])
  const endpoint = await new Promise<string>((resolve) => sender.once('message', (url) => resolve(String(url))))
  const feed = { endpoint, apiKey: null, allowPrivate: true, cooldownSeconds: 30 }
  const server = await startTestServer({ database, chain }, { feed })
  try {
    console.log(describeMachine())
    printFigures(await watchServer(server))
  } finally {
    sender.kill()
    await server.close()
    await Promise.all([database.stop(), chain.stop()])
  }
}

interface FeedFigures {
  receivedCount: number
  processedAfterSeconds: number
  statusMs: number[]
  rssMiB: number[]
  rows: { alerts: number; distinct: number; gaps: number; deliveries: number; refused: number }
}

/** Requests the status once a second, as a page does, and samples the memory. */
async function watchServer(server: TestServer): Promise<FeedFigures> {
  const total = SIGNALS_PER_SECOND * SECONDS
  const admin = await server.signInAdmin()
  const statusMs: number[] = []
  const rssMiB: number[] = []
  const beganAtMs = performance.now()
  let receivedCount = 0
  while (receivedCount < total && performance.now() - beganAtMs < (SECONDS + GRACE_SECONDS) * 1_000) {
    const askedAtMs = performance.now()
    receivedCount = (await admin.call('systemStatus')).feed.signalsReceived ?? 0
    statusMs.push(performance.now() - askedAtMs)
    rssMiB.push(process.memoryUsage.rss() / 2 ** 20)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  const { rows } = await server.ctx.db.execute<Record<keyof FeedFigures['rows'], string>>(`
    select count(*) as alerts, count(distinct signal_id) as distinct, max(log_index) - min(log_index) + 1 - count(*) as gaps,
      (select count(distinct log_index) from deliveries) as deliveries, (select count(*) from refused_signals) as refused
    from alerts where origin = 'feed'`)
  const counts = Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, text]) => [name, Number(text)]))
  // The cast is safe, because the query selects exactly these columns.
  return {
    receivedCount,
    processedAfterSeconds: (performance.now() - beganAtMs) / 1_000,
    statusMs,
    rssMiB,
    rows: counts as FeedFigures['rows'],
  }
}

function printFigures({ receivedCount, processedAfterSeconds, statusMs, rssMiB, rows }: FeedFigures): void {
  const total = SIGNALS_PER_SECOND * SECONDS
  const state = receivedCount < total ? 'NOT all' : 'all'
  const formatPercentile = (share: number) => computePercentile(statusMs, share).toFixed(0)
  const formatRssAt = (share: number) => (rssMiB[Math.floor((rssMiB.length - 1) * share)] ?? 0).toFixed(0)
  console.log(`sent ${total} in ${SECONDS} s; ${state} processed after ${processedAfterSeconds.toFixed(1)} s`)
  console.log(
    `alerts ${rows.alerts}, distinct signals ${rows.distinct}, gaps ${rows.gaps}, deliveries ${rows.deliveries}`,
  )
  console.log(`missing ${total - rows.distinct}, duplicates ${rows.alerts - rows.distinct}, refused ${rows.refused}`)
  console.log(
    `RSS MiB: at a quarter ${formatRssAt(0.25)}, half ${formatRssAt(0.5)}, three quarters ${formatRssAt(0.75)}, end ${formatRssAt(1)}, max ${Math.max(...rssMiB).toFixed(0)}`,
  )
  console.log(
    `GET /api/status ms: median ${formatPercentile(0.5)}, p95 ${formatPercentile(0.95)}, max ${formatPercentile(1)}`,
  )
}
