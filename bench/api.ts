import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { describeMachine } from '../scripts/describe-machine.ts'
import { type SeededServer, startSeededServer } from './api/seeded-server.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures every GET endpoint over HTTP on a seeded database: as an admin, with an account with a
 * subscription, with one without, and without a session. Requests are sent one at a time.
 * Usage: node --import tsx bench/api.ts [--alerts 100000] [--users …] [--payments …]
 *   [--destinations …] [--runs 20] [--only /api/alerts]
 * With BENCH_DATABASE_URL, the benchmark uses that database and seeds it only if it is empty. Do
 * not use the database of an installation: the product migrates it and sends its emails.
 */
const { values } = parseArgs({
  options: {
    alerts: { type: 'string', default: '100000' },
    users: { type: 'string' },
    payments: { type: 'string' },
    destinations: { type: 'string' },
    runs: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
  },
})
const alerts = Number(values.alerts)
const sizes = {
  alerts,
  users: Number(values.users ?? alerts / 10),
  payments: Number(values.payments ?? (alerts * 3) / 10),
  destinations: Number(values.destinations ?? alerts / 100),
}
const runCount = Number(values.runs)
const GOAL_MS = 100
let requestCount = 0

const startedMs = performance.now()
const seededServer = await startSeededServer(sizes, process.env.BENCH_DATABASE_URL)
console.log(`Seeded ${alerts} alerts and started in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`)
console.log(`the server with its migrations started in ${(seededServer.startMs / 1_000).toFixed(1)} s`)
printMemory('after the start')
try {
  await measureAll(seededServer)
  printMemory('after all requests')
} finally {
  await seededServer.close()
}
// End the process explicitly, because a thread of the server may still be open and keep it running.
process.exit()

/**
 * Prints the memory of this process, which contains the server and the client of the measurement.
 */
function printMemory(moment: string): void {
  console.log(`resident memory ${moment}: ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB`)
}

async function measureAll({
  server,
  paths,
  adminCookie,
  subscriberCookie,
  unsubscribedCookie,
}: SeededServer): Promise<void> {
  console.log(describeMachine())
  const results: { p95: number; median: number; name: string }[] = []
  const measurePaths = async (list: readonly string[], callerName: string, cookie: string) => {
    for (const path of list.filter((each) => each.startsWith(values.only))) {
      results.push({ name: `${path.slice(0, 90)}, ${callerName}`, ...(await measurePath(server.url + path, cookie)) })
    }
  }
  await measurePaths(paths.everybody, 'without a session', '')
  await measurePaths(paths.signedIn, 'subscriber', subscriberCookie)
  await measurePaths(paths.signedIn, 'without a plan', unsubscribedCookie)
  await measurePaths(
    [...paths.signedIn.filter((path) => path.startsWith('/api/alerts')), ...paths.admin],
    'admin',
    adminCookie,
  )
  for (const { p95, median, name } of results.sort((a, b) => b.p95 - a.p95)) {
    const verdict = p95 > GOAL_MS ? `  over ${GOAL_MS} ms` : ''
    console.log(`p95 ${p95.toFixed(0).padStart(6)} ms, median ${median.toFixed(0).padStart(6)} ms  ${name}${verdict}`)
  }
  console.log(`load ${loadavg()[0]?.toFixed(1)} at the end`)
}

async function measurePath(url: string, cookie: string): Promise<{ p95: number; median: number }> {
  const times: number[] = []
  for (let run = 0; run < runCount; run++) {
    requestCount += 1
    // Send each request from another network, because of the rate limits.
    const network = `10.${(requestCount >> 16) & 255}.${(requestCount >> 8) & 255}.${requestCount & 255}`
    const headers = { cookie, 'x-forwarded-for': network }
    const beganAtMs = performance.now()
    const answer = await fetch(url, { headers })
    await answer.text()
    times.push(performance.now() - beganAtMs)
    // Stop if the server rejects the query: the response is fast, and nothing would be measured.
    if (![200, 403, 404].includes(answer.status)) throw new Error(`${answer.status} ${url}`)
  }
  return { p95: computePercentile(times, 0.95), median: computePercentile(times, 0.5) }
}
