import type { LogStats } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { formatCount } from '../../ui/count.ts'
import { formatAge } from '../../ui/format-duration.ts'
import { useNow } from '../../ui/now.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatDuration } from '../alert/alert-texts.ts'

/** Statistics of the log. The cells have fixed sizes, so that updates do not shift the layout. */
export function LogSizes({ stats }: { stats: LogStats | undefined }) {
  return (
    <dl className="mt-8 grid grid-cols-6 border border-line-1 bg-line-1 gap-px max-lg:grid-cols-3 phone:grid-cols-2">
      <Size label="Entries" note={stats && describeContent(stats)}>
        {stats && formatCount(stats.size)}
      </Size>
      <Size
        label="Anchored"
        note={stats && `in ${formatCount(stats.anchors)} ${stats.anchors === 1 ? 'anchor' : 'anchors'}`}
      >
        {stats && formatCount(stats.anchoredSize)}
      </Size>
      <Size label="Waiting" note={stats && <Oldest at={stats.oldestWaitingAt} />}>
        {stats && formatCount(Math.max(0, stats.size - stats.anchoredSize))}
      </Size>
      <Size
        label="Gaps"
        note={
          stats && (stats.gaps === 0 ? `all ${formatCount(stats.entriesStored)} counted` : 'indexes without an entry')
        }
      >
        {stats && (stats.gaps === 0 ? 'None' : formatCount(stats.gaps))}
      </Size>
      <Size label="Median to anchor" note={stats && describeSample(stats)}>
        {stats && formatDelay(stats.timeToAnchor.medianMs)}
      </Size>
      <Size label="95 of 100 within" note={stats && describeSample(stats)}>
        {stats && formatDelay(stats.timeToAnchor.p95Ms)}
      </Size>
    </dl>
  )
}

type SizeProps = { label: string; note: ReactNode; children: ReactNode }

function Size({ label, note, children }: SizeProps) {
  return (
    <div className="flex min-h-31 flex-col bg-ink-1 p-5 phone:p-4">
      <dt className="text-label text-2">{label}</dt>
      <dd className="min-h-10 pt-2 text-number wrap-anywhere">{children ?? <Skeleton className="mt-1 h-6 w-20" />}</dd>
      <dd className="mt-2 min-h-8 text-hint text-2">{note}</dd>
    </div>
  )
}

function Oldest({ at }: { at: string | null }) {
  const age = useNow((nowMs) => (at === null ? '' : formatAge(nowMs - Date.parse(at))))
  return at === null ? 'none waiting' : `oldest for ${age}`
}

function describeContent({ alerts, corrections, retractions, keyLists, heartbeats, successions }: LogStats): string {
  const parts = [
    `${formatCount(alerts)} public ${alerts === 1 ? 'alert' : 'alerts'}`,
    ...(corrections > 0 ? [`${formatCount(corrections)} ${corrections === 1 ? 'correction' : 'corrections'}`] : []),
    ...(retractions > 0 ? [`${formatCount(retractions)} ${retractions === 1 ? 'retraction' : 'retractions'}`] : []),
    `${formatCount(keyLists)} ${keyLists === 1 ? 'key list' : 'key lists'}`,
    ...(heartbeats > 0
      ? [`${formatCount(heartbeats)} ${heartbeats === 1 ? 'heartbeat' : 'heartbeats'} while nothing else was logged`]
      : []),
    ...(successions > 0 ? ['a link to the former log'] : []),
  ]
  return parts.join(', ')
}

function describeSample({ timeToAnchor: { sample } }: LogStats): string {
  return sample === 0 ? 'none measured yet' : `${formatCount(sample)} ${sample === 1 ? 'entry' : 'entries'}, 30 days`
}

function formatDelay(ms: number | null): string {
  return ms === null ? '—' : formatDuration(ms)
}
