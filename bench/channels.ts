import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import type { Wanted } from './channels/destinations.ts'
import { type Arrival, type Fixture, getTimes, percentile, startFixture } from './channels/fixture.ts'
import { gather, publishOne } from './fanout/measure.ts'

/**
 * Measures the time from the commit of an alert until a destination has received it, against local
 * endpoints in the wire format of each service.
 * Usage: node --import tsx bench/channels.ts [hosts|mail|push|hanging|chats|order|live|rate]...
 */
const HOSTS: Wanted[] = [
  { kind: 'webhook', count: 250 },
  { kind: 'discord', count: 240 },
  { kind: 'slack', count: 240 },
  { kind: 'ntfy', count: 240 },
  // The count equals the number of messages that a bot may send per second.
  { kind: 'telegram', count: 30 },
]
const TOTAL = 1_000
const HANGING = 100
const CHATS = 5_000
const MAILS: Wanted = { kind: 'email', count: 1_000 }
const PUSHES: Wanted = { kind: 'web-push', count: 5_000 }
const RECEIVERS = 5_000
const ALERTS = Number(process.env.ALERTS ?? 10)
const RUNS = Number(process.env.RUNS ?? 5)
const LIVE_ALERTS = 5

const dir = await mkdtemp(join(tmpdir(), 'tocsin-channels-'))
const subscribers = join(dir, 'subscribers')
execFileSync('cc', ['-O2', '-o', subscribers, join(import.meta.dirname, 'fanout/subscribers.c')])
const endpoints = join(dir, 'endpoints')
execFileSync('cc', ['-O2', '-o', endpoints, join(import.meta.dirname, 'channels/endpoints.c')])
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const dependencies = { database, chain, dir, subscribers, endpoints, floor: '' }

const print = (name: string, value: string) => console.log(`${name.padEnd(44)} ${value}`)
const ms = (value: number) => `${value.toFixed(0)} ms`
const seconds = (value: number) => `${(value / 1_000).toFixed(2)} s`
const printTimes = (name: string, times: number[]) =>
  print(
    name,
    `${String(times.length).padStart(6)}  p50 ${ms(percentile(times, 0.5)).padStart(8)}  ` +
      `p99 ${ms(percentile(times, 0.99)).padStart(8)}  last ${ms(times.at(-1) ?? Number.NaN).padStart(8)}`,
  )

/** Issues alerts one at a time. Each waits until the previous one has arrived everywhere. */
async function issueAlerts({ server, arrivals, arrived }: Fixture, count: number, perAlert: number) {
  const all: { arrival: Arrival; ms: number }[] = []
  for (let alert = 0; alert < count; alert += 1) {
    const from = arrivals.length
    const committedAtNs = await server.publish(1)
    await arrived(from + perAlert)
    const own = arrivals.slice(from, from + perAlert)
    // Do not count the first alert: it is slower, because caches and code are cold.
    if (alert > 0) all.push(...own.map((arrival) => ({ arrival, ms: getTimes([arrival], committedAtNs)[0] ?? 0 })))
  }
  return all
}

const sorted = (found: { ms: number }[]) => found.map((each) => each.ms).sort((a, b) => a - b)

async function measureHosts(): Promise<void> {
  const fixture = await startFixture(dependencies, TOTAL, HOSTS)
  const found = await issueAlerts(fixture, ALERTS + 1, TOTAL)
  printTimes('1,000 destinations on 1,000 hosts', sorted(found))
  for (const { kind } of HOSTS)
    printTimes(`  of these ${kind}`, sorted(found.filter(({ arrival }) => arrival.kind === kind)))
  await fixture.stop()
}

/** Measures destinations of one kind. The first alert is not counted. */
async function measureKind(name: string, wanted: Wanted): Promise<void> {
  const fixture = await startFixture(dependencies, wanted.count, [wanted])
  printTimes(name, sorted(await issueAlerts(fixture, Math.min(ALERTS, 5) + 1, wanted.count)))
  await fixture.stop()
}

/**
 * Measures the first alert, when the server does not know yet which endpoints hang. Compares runs
 * with and without such endpoints.
 */
async function measureHanging(): Promise<void> {
  const p99s: Record<'without' | 'with', number[]> = { without: [], with: [] }
  for (let run = 0; run < 3; run += 1) {
    for (const name of ['without', 'with'] as const) {
      const hanging = name === 'with' ? HANGING : 0
      const fixture = await startFixture(dependencies, TOTAL, [
        { kind: 'webhook', count: TOTAL - HANGING + hanging, hanging },
      ])
      const warm = fixture.arrivals.length
      const committedAtNs = await fixture.server.publish(1)
      const others = () => fixture.arrivals.slice(warm).filter(({ to }) => !to.endsWith('/hang'))
      while (others().length < TOTAL - HANGING) await fixture.arrived(fixture.arrivals.length + 1)
      const times = getTimes(others(), committedAtNs)
      p99s[name].push(percentile(times, 0.99))
      printTimes(`900 ${name} 100 that hang, run ${run + 1}`, times)
      await fixture.stop()
    }
  }
  const median = (values: number[]) =>
    percentile(
      values.sort((a, b) => a - b),
      0.5,
    )
  print('p99 with, of that without', `${(median(p99s.with) / median(p99s.without)).toFixed(2)} x`)
}

async function measureChats(): Promise<void> {
  const fixture = await startFixture(dependencies, CHATS, [{ kind: 'telegram', count: CHATS }])
  const committedAtNs = await fixture.server.publish(1)
  await fixture.arrived(CHATS)
  const times = getTimes(fixture.arrivals, committedAtNs)
  const most = Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 1_000).length))
  print('5,000 chats, last after', `${seconds(times.at(-1) ?? 0)}, at most ${most} arrived within a second`)
  await fixture.stop()
}

/** Measures whether a critical alert overtakes an alert of low priority. */
async function measureOrder(): Promise<void> {
  const chats = 150
  const fixture = await startFixture(dependencies, chats, [{ kind: 'telegram', count: chats }])
  await fixture.server.publish(1, 'low')
  await fixture.arrived(1)
  const before = fixture.arrivals.length
  await fixture.server.publish(1, 'critical')
  await fixture.arrived(2 * chats)
  const first = fixture.arrivals.findIndex(({ priority }) => priority === 'critical')
  const last = fixture.arrivals.map(({ priority }) => priority).lastIndexOf('critical')
  const overtaken = fixture.arrivals.slice(first, last).filter(({ priority }) => priority === 'low').length
  print(
    '150 chats, a critical alert after a low one',
    `${before} low before it, ${first - before} after its commit, ${overtaken} between`,
  )
  await fixture.stop()
}

/**
 * Measures when the last of 5,000 receivers of the live stream gets an alert, with destinations
 * switched on and off. Both cases alternate on the same server with the same receivers, so that
 * other load affects both.
 */
async function measureLive(): Promise<void> {
  const lasts: Record<'quiet' | 'busy', number[]> = { quiet: [], busy: [] }
  const others = [...HOSTS.filter(({ kind }) => kind !== 'telegram'), MAILS, PUSHES]
  const perAlert = others.reduce((sum, { count }) => sum + count, 0)
  const fixture = await startFixture(dependencies, RECEIVERS, [...others, { kind: 'telegram', count: CHATS }])
  const of = { count: RECEIVERS, slow: 0, perBatch: 1, file: fixture.file }
  const receivers = await gather(dependencies, fixture.server.port, of)
  for (let run = 0; run < RUNS; run += 1) {
    for (const name of ['quiet', 'busy'] as const) {
      await fixture.switchDestinations(name === 'busy')
      const own: number[] = []
      const before = sentTo(fixture)
      // Publish one alert more than is measured: the first is not counted, because no channel
      // traffic is in progress when it is issued.
      for (let alert = 0; alert <= LIVE_ALERTS; alert += 1) {
        const [, , , last = 0] = await publishOne(fixture.server, receivers)
        if (alert > 0) own.push(last)
        // Issue the next alert while the messages of this one are being sent.
        const due = before + perAlert * (alert + 0.3)
        while (name === 'busy' && sentTo(fixture) < due) await fixture.arrived(fixture.arrivals.length + 1)
        if (name === 'quiet') await new Promise((resolve) => setTimeout(resolve, 500))
      }
      lasts[name].push(...own)
      own.sort((a, b) => a - b)
      print(
        `  ${name}, run ${run + 1}`,
        `${percentile(own, 0.5).toFixed(1)} ms (${own.map((at) => at.toFixed(0)).join(' ')})`,
      )
    }
  }
  receivers.stop()
  await fixture.stop()
  for (const values of Object.values(lasts)) values.sort((a, b) => a - b)
  const [quiet, busy] = [percentile(lasts.quiet, 0.5), percentile(lasts.busy, 0.5)]
  print('last of 5,000 receivers, no channel traffic', `${quiet.toFixed(1)} ms (median of ${lasts.quiet.length})`)
  print('last of 5,000 receivers, all channels', `${busy.toFixed(1)} ms, ${(busy / quiet).toFixed(2)} x`)
}

/**
 * Measures how many queued messages per second the webhooks receive, counted from the first
 * arrival.
 * @param count number of destinations
 * @param queued number of messages that wait for each destination
 * @param most maximum number of arrivals that are counted
 */
async function measureRate(count: number, waitMs: number, queued: number, most: number, signals = 0): Promise<void> {
  const fixture = await startFixture(dependencies, count, [{ kind: 'webhook', count, waitMs }])
  await fixture.queue(queued)
  const before = await fixture.server.cpuUs()
  const arrived = fixture.arrived(most)
  let isOver = false
  void arrived.then(() => {
    isOver = true
  })
  while (signals > 0 && !isOver) {
    await fixture.server.publish(1)
    await new Promise((resolve) => setTimeout(resolve, 1_000 / signals))
  }
  await arrived
  const usedMs = ((await fixture.server.cpuUs()) - before) / 1_000
  const times = fixture.arrivals.slice(0, most).map(({ atNs }) => atNs)
  const tookS = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1e9
  const open = most - count
  const name = `${count} webhooks, ${waitMs} ms, ${count * queued} wait, at most ${signals} signals/s`
  print(name, `${(open / tookS).toFixed(1).padStart(6)}/s, ${(usedMs / most).toFixed(2)} ms of CPU time each`)
  await fixture.stop()
}

async function measureRates(): Promise<void> {
  await measureRate(1, 1, 1_000, 1_000)
  await measureRate(1, 20, 1_000, 1_000)
  await measureRate(1, 100, 1_000, 300)
  await measureRate(20, 20, 1_000, 4_000)
  await measureRate(2, 20, 10_000, 1_000, 20)
}

/** Returns the number of arrivals except at Telegram, whose bot sends only 30 messages a second. */
const sentTo = ({ arrivals }: Fixture) => arrivals.filter(({ kind }) => kind !== 'telegram').length

const scenarios: Record<string, () => Promise<void>> = {
  hosts: measureHosts,
  mail: () => measureKind('1,000 mails handed to SMTP', MAILS),
  push: () => measureKind('5,000 subscriptions of web push', PUSHES),
  hanging: measureHanging,
  chats: measureChats,
  order: measureOrder,
  live: measureLive,
  rate: measureRates,
}
const chosen = process.argv.slice(2)
try {
  console.log(
    `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 16)}Z`,
  )
  const load = () => loadavg().map((each) => each.toFixed(1))
  for (const [name, measure] of Object.entries(scenarios)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    console.log(`\n${name}, load average ${load()}`)
    await measure()
  }
  console.log(`\nload average ${load()} at the end`)
} finally {
  await Promise.all([database.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}
