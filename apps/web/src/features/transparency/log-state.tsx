import type { LogStats } from '@tocsin/protocol'
import { Dot } from '../../shell/status.tsx'
import { transparencyTexts } from '../../texts/transparency.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useNow } from '../../ui/now.ts'
import { Time } from '../../ui/time.tsx'

const texts = transparencyTexts.logState

type Look = { dot: string; word: string; edge: string }

const looks: Record<LogStats['state'] | 'unreachable' | 'reading', Look> = {
  current: { dot: 'bg-ok', word: texts.current, edge: 'border-line-1' },
  delayed: { dot: 'bg-medium', word: texts.anchoringIsDelayed, edge: 'border-medium' },
  stopped: { dot: 'bg-critical', word: texts.stopped, edge: 'border-critical' },
  unreachable: { dot: 'bg-text-3', word: texts.notAnswering, edge: 'border-line-2' },
  reading: { dot: 'bg-text-3', word: texts.readingTheLog, edge: 'border-line-1' },
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
        {isUnreachable ? texts.figuresBelowAreTheLast : stats && <Sentence stats={stats} />}
      </span>
      {updatedAt > 0 && <Freshness updatedAt={updatedAt} />}
    </div>
  )
}

function Sentence({ stats: { reason, lastAnchoredAt, size } }: { stats: LogStats }) {
  if (reason !== null) return <>{reason}</>
  if (size === 0) return <>{texts.noEntryYetTheFirst}</>
  if (lastAnchoredAt === null) return <>{texts.firstAnchorIsStill}</>
  return <>{texts.newestAnchor({ lastAnchoredAt: <Time at={lastAnchoredAt} show="relative" /> })}</>
}

/** Hidden from screen readers, because it changes every second. */
function Freshness({ updatedAt }: { updatedAt: number }) {
  const seconds = useNow((nowMs) => Math.max(0, Math.floor((nowMs - updatedAt) / 1000)))
  return (
    <span aria-hidden className="text-data whitespace-nowrap text-2">
      {texts.readSAgo({ seconds })}
    </span>
  )
}
