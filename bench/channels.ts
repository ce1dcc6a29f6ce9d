import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { describeMachine } from '../scripts/describe-machine.ts'
import type { DestinationGroup } from './channels/destinations.ts'
import { type Arrival, type Fixture, getTimes, startFixture } from './channels/fixture.ts'
import { compileProgram } from './compile-program.ts'
import { publishOne, startSubscribers } from './fanout/measure.ts'
import { computePercentile } from './percentile.ts'

/**
 * Measures the time from the commit of an alert until a destination has received it, against local
 * endpoints in the wire format of each service.
 * Usage: node --import tsx bench/channels.ts [hosts|mail|push|hanging|chats|order|live|rate]...
 */
const MIXED_DESTINATIONS: DestinationGroup[] = [
  { kind: 'webhook', count: 250 },
  { kind: 'discord', count: 240 },
  { kind: 'slack', count: 240 },
  { kind: 'ntfy', count: 240 },
  // The count equals the number of messages that a bot may send per second.
  { kind: 'telegram', count: 30 },
]
const DESTINATION_COUNT = 1_000
const HANGING_COUNT = 100
const CHAT_COUNT = 5_000
const MAIL_DESTINATIONS: DestinationGroup = { kind: 'email', count: 1_000 }
const PUSH_DESTINATIONS: DestinationGroup = { kind: 'web-push', count: 5_000 }
const RECEIVERS = 5_000
const ALERTS = Number(process.env.ALERTS ?? 10)
const RUNS = Number(process.env.RUNS ?? 5)
const LIVE_ALERTS = 5

const dir = await mkdtemp(join(tmpdir(), 'tocsin-channels-'))
const subscribers = compileProgram(dir, 'fanout/subscribers')
const endpoints = compileProgram(dir, 'channels/endpoints')
const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
const dependencies = { database, chain, dir, subscribers, endpoints, floor: '' }

const printFigure = (name: string, value: string) => console.log(`${name.padEnd(44)} ${value}`)
const formatMs = (value: number) => `${value.toFixed(0)} ms`
const formatSeconds = (value: number) => `${(value / 1_000).toFixed(2)} s`
const printTimes = (name: string, times: number[]) =>
  printFigure(
    name,
    `${String(times.length).padStart(6)}  p50 ${formatMs(computePercentile(times, 0.5)).padStart(8)}  ` +
      `p99 ${formatMs(computePercentile(times, 0.99)).padStart(8)}  last ${formatMs(times.at(-1) ?? Number.NaN).padStart(8)}`,
  )

/** Issues alerts one at a time. Each waits until the previous one has arrived everywhere. */
async function issueAlerts({ server, arrivals, waitForArrivals }: Fixture, count: number, arrivalsPerAlert: number) {
  const measuredArrivals: { arrival: Arrival; ms: number }[] = []
  for (let alert = 0; alert < count; alert += 1) {
    const from = arrivals.length
    const committedAtNs = await server.publish(1)
    await waitForArrivals(from + arrivalsPerAlert)
    const alertArrivals = arrivals.slice(from, from + arrivalsPerAlert)
    // Do not count the first alert: it is slower, because caches and code are cold.
    if (alert > 0)
      measuredArrivals.push(
        ...alertArrivals.map((arrival) => ({ arrival, ms: getTimes([arrival], committedAtNs)[0] ?? 0 })),
      )
  }
  return measuredArrivals
}

const sortTimes = (found: { ms: number }[]) => found.map((each) => each.ms).sort((a, b) => a - b)

async function measureHosts(): Promise<void> {
  const fixture = await startFixture(dependencies, DESTINATION_COUNT, MIXED_DESTINATIONS)
  const measuredArrivals = await issueAlerts(fixture, ALERTS + 1, DESTINATION_COUNT)
  printTimes('1,000 destinations on 1,000 hosts', sortTimes(measuredArrivals))
  for (const { kind } of MIXED_DESTINATIONS)
    printTimes(`  of these ${kind}`, sortTimes(measuredArrivals.filter(({ arrival }) => arrival.kind === kind)))
  await fixture.stop()
}

/** Measures destinations of one kind. The first alert is not counted. */
async function measureKind(name: string, wantedDestinations: DestinationGroup): Promise<void> {
  const fixture = await startFixture(dependencies, wantedDestinations.count, [wantedDestinations])
  printTimes(name, sortTimes(await issueAlerts(fixture, Math.min(ALERTS, 5) + 1, wantedDestinations.count)))
  await fixture.stop()
}

/**
 * Measures the delivery times of the first alert, when the server does not know yet which endpoints
 * hang. Compares runs with and without hanging endpoints.
 */
async function measureHanging(): Promise<void> {
  const p99s: Record<'without' | 'with', number[]> = { without: [], with: [] }
  for (let run = 0; run < 3; run += 1) {
    for (const name of ['without', 'with'] as const) {
      const hangingCount = name === 'with' ? HANGING_COUNT : 0
      const fixture = await startFixture(dependencies, DESTINATION_COUNT, [
        { kind: 'webhook', count: DESTINATION_COUNT - HANGING_COUNT + hangingCount, hangingCount },
      ])
      const warmUpArrivals = fixture.arrivals.length
      const committedAtNs = await fixture.server.publish(1)
      const listOtherArrivals = () => fixture.arrivals.slice(warmUpArrivals).filter(({ to }) => !to.endsWith('/hang'))
      while (listOtherArrivals().length < DESTINATION_COUNT - HANGING_COUNT)
        await fixture.waitForArrivals(fixture.arrivals.length + 1)
      const times = getTimes(listOtherArrivals(), committedAtNs)
      p99s[name].push(computePercentile(times, 0.99))
      printTimes(`900 ${name} 100 that hang, run ${run + 1}`, times)
      await fixture.stop()
    }
  }
  const computeMedian = (values: number[]) => computePercentile(values, 0.5)
  printFigure('p99 with, of that without', `${(computeMedian(p99s.with) / computeMedian(p99s.without)).toFixed(2)} x`)
}

async function measureChats(): Promise<void> {
  const fixture = await startFixture(dependencies, CHAT_COUNT, [{ kind: 'telegram', count: CHAT_COUNT }])
  const committedAtNs = await fixture.server.publish(1)
  await fixture.waitForArrivals(CHAT_COUNT)
  const times = getTimes(fixture.arrivals, committedAtNs)
  const maxPerSecond = Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 1_000).length))
  printFigure(
    '5,000 chats, last after',
    `${formatSeconds(times.at(-1) ?? 0)}, at most ${maxPerSecond} arrived within a second`,
  )
  await fixture.stop()
}

/** Measures whether a critical alert overtakes an alert of low priority. */
async function measurePriorityOrder(): Promise<void> {
  const chats = 150
  const fixture = await startFixture(dependencies, chats, [{ kind: 'telegram', count: chats }])
  await fixture.server.publish(1, 'low')
  await fixture.waitForArrivals(1)
  const arrivalsBefore = fixture.arrivals.length
  await fixture.server.publish(1, 'critical')
  await fixture.waitForArrivals(2 * chats)
  const first = fixture.arrivals.findIndex(({ priority }) => priority === 'critical')
  const last = fixture.arrivals.map(({ priority }) => priority).lastIndexOf('critical')
  const overtakenCount = fixture.arrivals.slice(first, last).filter(({ priority }) => priority === 'low').length
  printFigure(
    '150 chats, a critical alert after a low one',
    `${arrivalsBefore} low before it, ${first - arrivalsBefore} after its commit, ${overtakenCount} between`,
  )
  await fixture.stop()
}

/**
 * Measures when the last of 5,000 receivers of the live stream gets an alert, with destinations
 * switched on and off. Both cases alternate on the same server with the same receivers, so that
 * other load affects both.
 */
async function measureLive(): Promise<void> {
  const lastArrivals: Record<'quiet' | 'busy', number[]> = { quiet: [], busy: [] }
  const otherDestinations = [
    ...MIXED_DESTINATIONS.filter(({ kind }) => kind !== 'telegram'),
    MAIL_DESTINATIONS,
    PUSH_DESTINATIONS,
  ]
  const arrivalsPerAlert = otherDestinations.reduce((sum, { count }) => sum + count, 0)
  const fixture = await startFixture(dependencies, RECEIVERS, [
    ...otherDestinations,
    { kind: 'telegram', count: CHAT_COUNT },
  ])
  const subscriberOptions = { count: RECEIVERS, slow: 0, alertsPerReport: 1, file: fixture.file }
  const receivers = await startSubscribers(dependencies, fixture.server.port, subscriberOptions)
  for (let run = 0; run < RUNS; run += 1) {
    for (const name of ['quiet', 'busy'] as const) {
      await fixture.switchDestinations(name === 'busy')
      const runLastArrivals: number[] = []
      const sentBefore = countSent(fixture)
      // Publish one alert more than is measured: the first is not counted, because no channel
      // traffic is in progress when it is issued.
      for (let alert = 0; alert <= LIVE_ALERTS; alert += 1) {
        const [, , , last = 0] = await publishOne(fixture.server, receivers)
        if (alert > 0) runLastArrivals.push(last)
        // Issue the next alert while the messages of this one are being sent.
        const dueCount = sentBefore + arrivalsPerAlert * (alert + 0.3)
        while (name === 'busy' && countSent(fixture) < dueCount)
          await fixture.waitForArrivals(fixture.arrivals.length + 1)
        if (name === 'quiet') await new Promise((resolve) => setTimeout(resolve, 500))
      }
      lastArrivals[name].push(...runLastArrivals)
      runLastArrivals.sort((a, b) => a - b)
      printFigure(
        `  ${name}, run ${run + 1}`,
        `${computePercentile(runLastArrivals, 0.5).toFixed(1)} ms (${runLastArrivals.map((at) => at.toFixed(0)).join(' ')})`,
      )
    }
  }
  receivers.stop()
  await fixture.stop()
  const [quietMs, busyMs] = [computePercentile(lastArrivals.quiet, 0.5), computePercentile(lastArrivals.busy, 0.5)]
  printFigure(
    'last of 5,000 receivers, no channel traffic',
    `${quietMs.toFixed(1)} ms (median of ${lastArrivals.quiet.length})`,
  )
  printFigure('last of 5,000 receivers, all channels', `${busyMs.toFixed(1)} ms, ${(busyMs / quietMs).toFixed(2)} x`)
}

/**
 * Measures how many queued messages per second the webhooks receive, counted from the first
 * arrival.
 * @param count number of destinations
 * @param queuedCount number of messages that wait for each destination
 * @param maxArrivals maximum number of arrivals that are counted
 */
async function measureRate(
  count: number,
  waitMs: number,
  queuedCount: number,
  maxArrivals: number,
  signals = 0,
): Promise<void> {
  const fixture = await startFixture(dependencies, count, [{ kind: 'webhook', count, waitMs }])
  await fixture.queue(queuedCount)
  const cpuUsBefore = await fixture.server.getCpuUs()
  const allArrived = fixture.waitForArrivals(maxArrivals)
  let haveAllArrived = false
  void allArrived.then(() => {
    haveAllArrived = true
  })
  while (signals > 0 && !haveAllArrived) {
    await fixture.server.publish(1)
    await new Promise((resolve) => setTimeout(resolve, 1_000 / signals))
  }
  await allArrived
  const usedMs = ((await fixture.server.getCpuUs()) - cpuUsBefore) / 1_000
  const times = fixture.arrivals.slice(0, maxArrivals).map(({ atNs }) => atNs)
  const elapsedSeconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1e9
  const laterArrivalCount = maxArrivals - count
  const name = `${count} webhooks, ${waitMs} ms, ${count * queuedCount} wait, at most ${signals} signals/s`
  printFigure(
    name,
    `${(laterArrivalCount / elapsedSeconds).toFixed(1).padStart(6)}/s, ${(usedMs / maxArrivals).toFixed(2)} ms of CPU time each`,
  )
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
const countSent = ({ arrivals }: Fixture) => arrivals.filter(({ kind }) => kind !== 'telegram').length

const scenarios: Record<string, () => Promise<void>> = {
  hosts: measureHosts,
  mail: () => measureKind('1,000 mails handed to SMTP', MAIL_DESTINATIONS),
  push: () => measureKind('5,000 subscriptions of web push', PUSH_DESTINATIONS),
  hanging: measureHanging,
  chats: measureChats,
  order: measurePriorityOrder,
  live: measureLive,
  rate: measureRates,
}
const chosenNames = process.argv.slice(2)
try {
  console.log(describeMachine())
  const formatLoad = () => loadavg().map((each) => each.toFixed(1))
  for (const [name, measure] of Object.entries(scenarios)) {
    if (chosenNames.length > 0 && !chosenNames.includes(name)) continue
    console.log(`\n${name}, load average ${formatLoad()}`)
    await measure()
  }
  console.log(`\nload average ${formatLoad()} at the end`)
} finally {
  await Promise.all([database.stop(), chain.stop()])
  await rm(dir, { recursive: true, force: true })
}
