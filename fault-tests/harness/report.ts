import { execFileSync } from 'node:child_process'
import type { IntervalHistogram } from 'node:perf_hooks'
import { checkSocketClosures, type SocketClosure } from './checks/sessions.ts'
import type { Evidence } from './evidence.ts'
import { computeBurstRate } from './feed.ts'
import type { FaultFreeStatistics, KindFigures } from './figures.ts'
import type { StreamGap } from './journal.ts'
import { DETECTION_LIMIT_MS, type FaultKind, type FaultName, faultKinds } from './kinds.ts'
import type { MemoryFigures } from './memory.ts'
import type { Options } from './options.ts'

const MISSED_MARK = ' **missed**'
const formatSeconds = (ms: number | null) => (ms === null ? '–' : `${(ms / 1_000).toFixed(1)} s`)

/** Returns the table of the run in Markdown, with one row for each kind of fault. */
export function writeTable(
  kinds: readonly KindFigures[],
  checkedCounts: ReadonlyMap<FaultName, number>,
  faultFree: FaultFreeStatistics,
): string {
  const rows = kinds.map((kind) => {
    return [
      kind.name,
      String(kind.count),
      describeDetection(kind, checkedCounts.get(kind.name) ?? 0),
      describeRecovery(kind),
      formatSeconds(kind.goalMs),
      `${kind.failedRequests} of ${kind.requests}`,
      `${kind.failedPosts} of ${kind.posts}`,
      formatSeconds(kind.longestGapMs),
    ]
  })
  const head = [
    ...['fault', 'times', 'detected after (judged)', 'recovered after', 'goal'],
    ...['GETs failed', 'POSTs failed', 'longest stream gap'],
  ]
  const quietRow = [
    ...['outside of faults', '–', '–', '–', '0 failed'],
    `${faultFree.failedRequests.length} of ${faultFree.requests}${faultFree.failedRequests.length > 0 ? MISSED_MARK : ''}`,
    `${faultFree.failedPosts.length} of ${faultFree.posts}${faultFree.failedPosts.length > 0 ? MISSED_MARK : ''}`,
    '–',
  ]
  const allRows = [head, head.map(() => '---'), ...rows, quietRow]
  const widths = head.map((_, column) => Math.max(...allRows.map((row) => row[column]?.length ?? 0)))
  return allRows
    .map(
      (row) =>
        `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, cell === '---' ? '-' : ' ')).join(' | ')} |`,
    )
    .join('\n')
}

function isDetectedLate({ detectMs, isReported }: KindFigures): boolean {
  return isReported && (detectMs === null || detectMs > DETECTION_LIMIT_MS)
}

/**
 * Returns the time of detection, followed by the number of checked /readyz responses in
 * parentheses.
 */
function describeDetection(kind: KindFigures, checkedCount: number): string {
  const { detectMs, isReported } = kind
  if (!isReported) return '–'
  return `${detectMs === null ? 'not seen' : formatSeconds(detectMs)}${isDetectedLate(kind) ? MISSED_MARK : ''} (${checkedCount})`
}

/**
 * Returns the time to recover. It is marked as missed if it exceeds the goal. A rolling restart or
 * an upgrade also misses its goal if a request failed or a live stream was interrupted for at least
 * two seconds.
 */
function describeRecovery(kind: KindFigures): string {
  const { recoverMs, goalMs, isMissed } = kind
  const isRecoveredLate = recoverMs === null || recoverMs > goalMs || (isMissed && !isDetectedLate(kind))
  return `${recoverMs === null ? 'not seen' : formatSeconds(recoverMs)}${isRecoveredLate ? MISSED_MARK : ''}`
}

/** Lists what happened to a subscriber during its gap, with the seconds since its start. */
export function describeGap({ fromMs, untilMs, events }: StreamGap): string {
  const lastEvents = untilMs === null ? [] : [{ atMs: untilMs, text: 'live' }]
  return [...events, ...lastEvents].map(({ atMs, text }) => `${formatSeconds(atMs - fromMs)} ${text}`).join(', ')
}

/** Explains for each kind without a time of detection why /readyz does not report it. */
export function explainSilentKinds(kinds: readonly KindFigures[]): string {
  return kinds
    .flatMap(({ name }) => {
      const { readiness }: FaultKind = faultKinds[name]
      return 'expectedState' in readiness ? [] : [`/readyz says nothing of "${name}": ${readiness.silentBecause}.`]
    })
    .join('\n')
}

/** Describes the memory of the instances, one line for each instance. */
export function describeMemory(figures: readonly MemoryFigures[]): string {
  const formatMebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
  return figures
    .map(({ instance, processes, startBytes, endBytes, hours, bytesPerHour }) => {
      const slope =
        bytesPerHour === null ? 'too few samples for a slope' : `${formatMebibytes(bytesPerHour)} MiB per hour`
      const longest = `the longest of ${processes} processes, ${(60 * hours).toFixed(1)} minutes`
      return `Resident memory of ${instance}: ${formatMebibytes(startBytes)} to ${formatMebibytes(endBytes)} MiB, ${slope} (${longest})`
    })
    .join('\n')
}

export function describeDelays(delays: IntervalHistogram): string {
  const [maxDelay, percentileDelay] = [delays.max, delays.percentile(99.9)].map((ns) => `${Math.round(ns / 1e6)} ms`)
  return `The event loop of the harness was late by ${percentileDelay} at the 99.9th percentile, at most by ${maxDelay}`
}

export function readCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'no commit'
  }
}

/**
 * Describes the options of the run and counts its faults, alerts, deliveries, payments and
 * requests.
 */
export function describeRun(options: Options, { journal, alerts, chainAnchors, chainTransfers }: Evidence): string {
  const { minutes, seed, instances, clients, signalsPerSecond, fromRelease } = options
  const received = journal.subscribers.reduce((sum, one) => sum + one.received.length, 0)
  return [
    `${minutes} minutes, seed ${seed},${fromRelease === '' ? '' : ` upgraded from ${fromRelease},`} ${instances} instances, ${clients} streams, ${signalsPerSecond} signals/s on average, ${computeBurstRate(signalsPerSecond).toFixed(1)} in bursts:`,
    `${journal.faults.length} faults of ${new Set(journal.faults.map(({ name }) => name)).size} kinds,`,
    `${alerts.length} alerts, ${received} deliveries to streams, ${chainAnchors.length} anchors,`,
    `${chainTransfers.length} payments, ${journal.sessions.length} sessions ended, ${describeSockets(checkSocketClosures(journal))},`,
    `${journal.unentitledReads} unauthorized reads, ${journal.webhooks.length} webhook messages,`,
    `${journal.outcomes.length} outcomes, ${journal.requests.length} requests through the proxy.`,
  ].join(' ')
}

function describeSockets(socketClosures: readonly SocketClosure[]): string {
  const counts = new Map<string, number>()
  for (const { way } of socketClosures) counts.set(way, (counts.get(way) ?? 0) + 1)
  const list = [...counts].map(([way, count]) => `${count} after ${way}`).join(', ')
  return `${socketClosures.length} of their sockets checked (${list})`
}
