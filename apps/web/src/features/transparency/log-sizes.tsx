import type { LogStats } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { useNow } from '../../ui/now.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { agoWords } from '../dashboard/status-words.ts'

const grouped = (value: number) => value.toLocaleString('en-US')

/** The measured figures of the log. Each keeps its place: nothing moves when it is read again. */
export function LogSizes({ stats }: { stats: LogStats | undefined }) {
  return (
    <dl className="mt-8 grid grid-cols-6 border border-line-1 bg-line-1 gap-px max-lg:grid-cols-3 phone:grid-cols-2">
      <Size label="Entries" note={stats && contentWords(stats)}>
        {stats && grouped(stats.size)}
      </Size>
      <Size label="Anchored" note={stats && `in ${counted(stats.anchors, 'anchor')}`}>
        {stats && grouped(stats.anchoredSize)}
      </Size>
      <Size label="Waiting" note={stats && <Oldest at={stats.oldestWaitingAt} />}>
        {stats && grouped(Math.max(0, stats.size - stats.anchoredSize))}
      </Size>
      <Size
        label="Gaps"
        note={stats && (stats.gaps === 0 ? `all ${grouped(stats.entriesStored)} counted` : 'indexes without an entry')}
      >
        {stats && (stats.gaps === 0 ? 'None' : grouped(stats.gaps))}
      </Size>
      <Size label="Median to anchor" note={stats && sampleWords(stats)}>
        {stats && durationOf(stats.timeToAnchor.medianMs)}
      </Size>
      <Size label="95 of 100 within" note={stats && sampleWords(stats)}>
        {stats && durationOf(stats.timeToAnchor.p95Ms)}
      </Size>
    </dl>
  )
}

type SizeProps = { label: string; note: ReactNode; children: ReactNode }

function Size({ label, note, children }: SizeProps) {
  return (
    <div className="flex min-h-31 flex-col bg-ink-1 p-5 phone:p-4">
      <dt className="text-label whitespace-nowrap text-2">{label}</dt>
      <dd className="mt-2 h-8 text-number whitespace-nowrap">{children ?? <Skeleton className="mt-1 h-6 w-20" />}</dd>
      <dd className="mt-2 min-h-8 text-hint text-2">{note}</dd>
    </div>
  )
}

function Oldest({ at }: { at: string | null }) {
  const age = useNow((nowMs) => (at === null ? '' : agoWords(nowMs - Date.parse(at))))
  return at === null ? 'nothing waits' : `oldest since ${age}`
}

function contentWords({ alerts, corrections, retractions, keyLists }: LogStats): string {
  const parts = [
    counted(alerts, 'alert'),
    ...(corrections > 0 ? [counted(corrections, 'correction')] : []),
    ...(retractions > 0 ? [counted(retractions, 'retraction')] : []),
    counted(keyLists, 'key list'),
  ]
  return parts.join(', ')
}

function sampleWords({ timeToAnchor: { sample } }: LogStats): string {
  return sample === 0 ? 'none measured yet' : `${counted(sample, 'entry')}, 30 days`
}

/** "3.1 s", and what blocks of whole seconds can't tell from nothing. */
function durationOf(ms: number | null): string {
  if (ms === null) return '—'
  if (ms < 1000) return '< 1 s'
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return agoWords(ms)
}

function counted(count: number, noun: string): string {
  if (noun === 'entry') return `${grouped(count)} ${count === 1 ? 'entry' : 'entries'}`
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}
