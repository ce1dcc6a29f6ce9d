import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer } from '@tocsin/testkit/server'

// Loads the alert rules into a real Prometheus that scrapes a real server, and runs every query of
// the dashboard there: node --import tsx scripts/check-dashboard.ts. Fails if Prometheus rejects a
// query, or if a query finds nothing although the server exports its metrics.

const MIN_SCRAPES = 4
const POLL_MS = 500
/** Value for Grafana's variable `$__rate_interval`, which is at least four scrape intervals. */
const RATE_INTERVAL = '1m'

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[]
}

/** Response of Prometheus to a query, or to a request for its rules. */
interface PrometheusResponse {
  status: string
  error?: string
  data?: { result?: unknown[]; groups?: { rules: { name: string; health: string }[] }[] }
}

if (spawnSync('prometheus', ['--version']).status !== 0) {
  console.log('prometheus is not installed')
  process.exit(1)
}
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const server = await startTestServer({ database, chain })
const folder = mkdtempSync(join(tmpdir(), 'tocsin-prometheus-'))
const port = await findFreePort()
writeFileSync(
  join(folder, 'prometheus.yml'),
  JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [resolve('ops/alert-rules.yml')],
    scrape_configs: [{ job_name: 'tocsin', static_configs: [{ targets: [new URL(server.url).host] }] }],
  }),
)
const prometheus = spawn(
  'prometheus',
  [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ],
  { stdio: ['ignore', 'ignore', 'pipe'] },
)
process.on('exit', () => prometheus.kill('SIGKILL'))
let prometheusLog = ''
prometheus.stderr.setEncoding('utf8').on('data', (text: string) => {
  prometheusLog += text
})
let hasPrometheusEnded = false
prometheus.on('close', () => {
  hasPrometheusEnded = true
})

const fetchJson = async (path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => null)
  // While Prometheus starts, it answers 503 with plain text.
  const isJson = response?.headers.get('content-type')?.startsWith('application/json')
  return isJson ? ((await response?.json()) as PrometheusResponse) : null
}
const queryPrometheus = (expr: string) => fetchJson(`query?query=${encodeURIComponent(expr)}`)

try {
  while (
    ((await queryPrometheus(`count_over_time(up{job="tocsin"}[1m]) >= ${MIN_SCRAPES}`))?.data?.result ?? []).length ===
    0
  ) {
    if (hasPrometheusEnded) throw new Error(`Prometheus has ended:\n${prometheusLog}`)
    await delay(POLL_MS)
  }
  const { panels }: Dashboard = JSON.parse(readFileSync('ops/grafana-dashboard.json', 'utf8'))
  const problems: string[] = []
  const exportedMetrics = new Set(
    Array.from((await (await fetch(`${server.url}/metrics`)).text()).matchAll(/^(\w+)[{ ]/gm), ([, name]) => name),
  )
  let queriesWithData = 0
  const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))
  for (const { title, expr } of queries) {
    const queryResult = await queryPrometheus(expr.replaceAll('$__rate_interval', RATE_INTERVAL))
    const hasData = (queryResult?.data?.result ?? []).length > 0
    if (hasData) queriesWithData += 1
    const metrics = expr.match(/\b(tocsin|nodejs|process)_\w+/g) ?? []
    const isExported = metrics.every((name) => exportedMetrics.has(name))
    if (queryResult?.status !== 'success') problems.push(`${title}: ${queryResult?.error ?? 'no response'}`)
    // A query with a comparison may find nothing, because it returns only series that match.
    else if (!hasData && isExported && !expr.includes('==')) problems.push(`${title} finds nothing: ${expr}`)
  }
  const groups = (await fetchJson('rules?type=alert'))?.data?.groups ?? []
  const rules = groups.flatMap(({ rules }) => rules)
  for (const { name, health } of rules) if (health !== 'ok') problems.push(`The rule ${name} is ${health}`)
  if (rules.length === 0) problems.push('No rule was loaded')
  console.log(`${queries.length} queries, ${queriesWithData} with data; ${rules.length} rules`)
  for (const problem of problems) console.log(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  prometheus.kill('SIGTERM')
  await server.close()
  await Promise.all([database.stop(), chain.stop()])
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
