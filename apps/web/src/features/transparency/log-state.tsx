import type { LogStats } from '@tocsin/protocol'
import { Dot } from '../../shell/status.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'

type Look = { dot: string; word: string; edge: string }

const looks: Record<LogStats['state'] | 'unreachable' | 'reading', Look> = {
  current: { dot: 'bg-ok', word: 'Current', edge: 'border-line-1' },
  delayed: { dot: 'bg-medium', word: 'Anchoring is delayed', edge: 'border-medium' },
  stopped: { dot: 'bg-critical', word: 'Stopped', edge: 'border-critical' },
  unreachable: { dot: 'bg-text-3', word: 'Not answering', edge: 'border-line-2' },
  reading: { dot: 'bg-text-3', word: 'Reading the log…', edge: 'border-line-1' },
}

type LogStateProps = { stats: LogStats | undefined; isUnreachable: boolean; updatedAt: number }

/** Whether the log is current, delayed or stopped, and the age of that information. */
export function LogState({ stats, isUnreachable, updatedAt }: LogStateProps) {
  const { dot, word, edge } = looks[isUnreachable ? 'unreachable' : (stats?.state ?? 'reading')]
  return (
    <div
      role="status"
      className={classNames(
        'mt-10 flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-y py-2.5 phone:mt-8',
        edge,
      )}
    >
      <Dot className={dot} />
      <span className="text-base font-semibold">{word}</span>
      <span className="min-w-0 flex-1 text-base text-2 max-md:basis-full">
        {isUnreachable ? 'Figures below are the last ones.' : stats && <Sentence stats={stats} />}
      </span>
      {updatedAt > 0 && <Freshness updatedAt={updatedAt} />}
    </div>
  )
}

function Sentence({ stats: { reason, lastAnchoredAt, size } }: { stats: LogStats }) {
  if (reason !== null) return <>{reason}</>
  if (size === 0) return <>No entry yet. The first one will appear here.</>
  if (lastAnchoredAt === null) return <>The first anchor is still to come.</>
  return (
    <>
      Newest anchor: <Time at={lastAnchoredAt} show="relative" />
    </>
  )
}

/** Hidden from screen readers, because it changes every second. */
function Freshness({ updatedAt }: { updatedAt: number }) {
  const seconds = useNow((nowMs) => Math.max(0, Math.floor((nowMs - updatedAt) / 1000)))
  return (
    <span aria-hidden className="text-data whitespace-nowrap text-2">
      read {seconds} s ago
    </span>
  )
}
