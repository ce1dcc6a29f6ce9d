import type { LogStats } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { numberLocale } from '../../texts/language.ts'
import { transparencyTexts } from '../../texts/transparency.tsx'
import { useNow } from '../../ui/now.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { agoWords } from '../dashboard/status-words.ts'

const texts = transparencyTexts.logSizes

const grouped = (value: number) => value.toLocaleString(numberLocale)

/** Statistics of the log. Fixed sizes, so that updates do not shift the layout. */
export function LogSizes({ stats }: { stats: LogStats | undefined }) {
  return (
    <dl className="mt-8 grid grid-cols-6 border border-line-1 bg-line-1 gap-px max-lg:grid-cols-3 phone:grid-cols-2">
      <Size label={texts.entries} note={stats && describeContent(stats)}>
        {stats && grouped(stats.size)}
      </Size>
      <Size label={texts.anchored} note={stats && texts.inAnchors({ count: stats.anchors })}>
        {stats && grouped(stats.anchoredSize)}
      </Size>
      <Size label={texts.waiting} note={stats && <Oldest at={stats.oldestWaitingAt} />}>
        {stats && grouped(Math.max(0, stats.size - stats.anchoredSize))}
      </Size>
      <Size
        label={texts.gaps}
        note={
          stats &&
          (stats.gaps === 0
            ? texts.allCounted({ entriesStored: grouped(stats.entriesStored) })
            : texts.indexesWithoutAnEntry)
        }
      >
        {stats && (stats.gaps === 0 ? texts.none : grouped(stats.gaps))}
      </Size>
      <Size label={texts.medianToAnchor} note={stats && describeSample(stats)}>
        {stats && formatDuration(stats.timeToAnchor.medianMs)}
      </Size>
      <Size label={texts.ninetyFiveOf100Within} note={stats && describeSample(stats)}>
        {stats && formatDuration(stats.timeToAnchor.p95Ms)}
      </Size>
    </dl>
  )
}

type SizeProps = { label: string; note: ReactNode; children: ReactNode }

function Size({ label, note, children }: SizeProps) {
  return (
    <div className="flex min-h-31 flex-col bg-ink-1 p-5 phone:p-4">
      <dt className="text-label text-2">{label}</dt>
      <dd className="mt-auto min-h-10 pt-2 text-number wrap-anywhere">
        {children ?? <Skeleton className="mt-1 h-6 w-20" />}
      </dd>
      <dd className="mt-2 min-h-8 text-hint text-2">{note}</dd>
    </div>
  )
}

function Oldest({ at }: { at: string | null }) {
  const age = useNow((nowMs) => (at === null ? '' : agoWords(nowMs - Date.parse(at))))
  return at === null ? texts.nothingWaits : texts.oldestSince({ age })
}

function describeContent({ alerts, corrections, retractions, keyLists, heartbeats, successions }: LogStats): string {
  const parts = [
    texts.alerts({ count: alerts }),
    ...(corrections > 0 ? [texts.corrections({ count: corrections })] : []),
    ...(retractions > 0 ? [texts.retractions({ count: retractions })] : []),
    texts.keyLists({ count: keyLists }),
    ...(heartbeats > 0 ? [texts.heartbeats({ count: heartbeats })] : []),
    ...(successions > 0 ? [texts.succession] : []),
  ]
  return parts.join(', ')
}

function describeSample({ timeToAnchor: { sample } }: LogStats): string {
  return sample === 0 ? texts.noneMeasuredYet : texts.inThirtyDays({ count: sample })
}

/** "3.1 s", or "< 1 s" because block times have a resolution of one second. */
function formatDuration(ms: number | null): string {
  if (ms === null) return '—'
  if (ms < 1000) return '< 1 s'
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return agoWords(ms)
}
