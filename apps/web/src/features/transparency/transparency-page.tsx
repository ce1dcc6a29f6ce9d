import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { LogStats } from '@tocsin/protocol'
import { useCallback } from 'react'
import { getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Dot } from '../../shell/status.tsx'
import { useLogChange } from '../../stream/use-log-change.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ghostLeaf } from '../../ui/empty-state.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { useTrust } from '../proof/use-trust.ts'
import { SitePage } from '../site/site-page.tsx'
import { AnchorRail } from './anchor-rail.tsx'
import { AnchorTable } from './anchor-table.tsx'
import { AnnouncedChanges } from './announced-changes.tsx'
import { KeyTable } from './key-table.tsx'
import { logQueries } from './log-queries.ts'
import { LogSizes } from './log-sizes.tsx'
import { readNote } from './seen-checkpoint.ts'
import { SelfCheck } from './self-check.tsx'
import { WaysToVerify } from './ways-to-verify.tsx'

/** Public statistics of the log, its anchors and keys, and ways to verify them. */
export function TransparencyPage() {
  const { data: config } = useQuery(queries.config)
  const client = useQueryClient()
  const head = useQuery(queries.logHead)
  const stats = useQuery(logQueries.stats)
  const refetchLog = useCallback(() => {
    for (const { queryKey } of [logQueries.stats, logQueries.checkpoint]) void client.invalidateQueries({ queryKey })
  }, [client])
  useLogChange(refetchLog)
  const trustSettings = useTrust(config)
  return (
    <SitePage
      kind="Transparency"
      title="One log, the same for everyone"
      lead="Every alert, correction, retraction and key is an entry. An entry can never be changed or removed without a visible trace. This page shows how to check that yourself."
    >
      <LogState
        stats={stats.data}
        isUnreachable={stats.isError || head.isError}
        updatedAt={stats.data ? Math.max(stats.dataUpdatedAt, head.dataUpdatedAt) : 0}
      />
      <AnnouncedChanges />
      {stats.isLoadingError ? (
        <div
          role="alert"
          className="mt-8 flex flex-wrap items-center gap-4 border border-line-1 bg-ink-1 p-6 phone:p-4"
        >
          <p className="text-body">The log can’t be read right now. Anchored entries remain provable on the chain.</p>
          <Button onClick={() => void stats.refetch()}>Try again</Button>
        </div>
      ) : (
        <>
          <LogSizes stats={stats.data} />
          <AnchorRail stats={stats.data} config={config} />
        </>
      )}
      <div className="mt-4 grid gap-4 lg:grid-cols-2">
        <CheckpointPanel />
        <SelfCheck config={config} trustSettings={trustSettings} />
      </div>
      {!stats.isLoadingError && (
        <div className="mt-4 grid gap-4">
          <AnchorTable stats={stats.data} config={config} />
          <KeyTable stats={stats.data} />
        </div>
      )}
      {config && <WaysToVerify config={config} />}
    </SitePage>
  )
}

type StepDisplay = { dot: string; word: string; edge: string }

const stateDisplays: Record<LogStats['state'] | 'unreachable' | 'reading', StepDisplay> = {
  current: { dot: 'bg-ok', word: 'Current', edge: 'border-line-1' },
  delayed: { dot: 'bg-medium', word: 'Anchoring is delayed', edge: 'border-medium' },
  stopped: { dot: 'bg-critical', word: 'Stopped', edge: 'border-critical' },
  unreachable: { dot: 'bg-text-3', word: 'Not responding', edge: 'border-line-2' },
  reading: { dot: 'bg-text-3', word: 'Reading the log…', edge: 'border-line-1' },
}

type LogStateProps = { stats: LogStats | undefined; isUnreachable: boolean; updatedAt: number }

/** Says whether the log is current, delayed or stopped, and how old this information is. */
function LogState({ stats, isUnreachable, updatedAt }: LogStateProps) {
  const { dot, word, edge } = stateDisplays[isUnreachable ? 'unreachable' : (stats?.state ?? 'reading')]
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
        {stats && (isUnreachable ? 'The figures below are the last known ones.' : <Sentence stats={stats} />)}
      </span>
      {updatedAt > 0 && <Freshness updatedAt={updatedAt} />}
    </div>
  )
}

function Sentence({ stats: { reason, lastAnchoredAt, size } }: { stats: LogStats }) {
  if (reason !== null) return <>{reason}</>
  if (size === 0) return <>No entry yet. The first one will appear here.</>
  if (lastAnchoredAt === null) return <>No anchor yet.</>
  return (
    <>
      Newest anchor: <Time at={lastAnchoredAt} show="relative" />
    </>
  )
}

/** The age of the statistics. Hidden from screen readers, because it changes every second. */
function Freshness({ updatedAt }: { updatedAt: number }) {
  const seconds = useNow((nowMs) => Math.max(0, Math.floor((nowMs - updatedAt) / 1000)))
  return (
    <span aria-hidden className="text-data whitespace-nowrap text-2">
      read {seconds} s ago
    </span>
  )
}

/**
 * The newest signed checkpoint of the log. Anyone can keep a copy and compare it with later ones.
 */
function CheckpointPanel() {
  const { data: note, error } = useQuery(logQueries.checkpoint)
  const checkpoint = note === undefined ? null : readNote(note)
  const root = checkpoint?.root ?? ghostLeaf
  return (
    <Panel
      title="Newest checkpoint"
      actions={note !== undefined && <CopyButton words text={note} label="Copy checkpoint" />}
      footer="A signed note in the form that other transparency logs use too (C2SP tlog-checkpoint)."
    >
      <div className="grid h-full place-content-center gap-6">
        <Seal
          leafHash={root}
          root={root}
          state={checkpoint ? 'signed' : 'unsigned'}
          size={212}
          className="justify-self-center"
        />
        {error && note === undefined ? (
          <p role="alert" className="text-base">
            {getErrorMessage(error, 'The checkpoint can’t be read right now.')}
          </p>
        ) : note === undefined ? (
          <Skeleton className="h-36 w-full" />
        ) : (
          <CheckpointLines note={note} />
        )}
      </div>
    </Panel>
  )
}

const lineLabels = ['Log', 'Entries', 'Root', '', 'Signed by']

/** The lines of the note, each with a label. */
function CheckpointLines({ note }: { note: string }) {
  return (
    <div className="min-h-36 border border-line-1 bg-ink-0 py-3">
      {note
        .trimEnd()
        .split('\n')
        .map((line, index) => ({ line, label: lineLabels[index] ?? '' }))
        .map(({ line, label }) => (
          <div key={label + line} className="grid min-h-5 grid-cols-[88px_minmax(0,1fr)] items-baseline px-4">
            <span className="text-label text-2">{label}</span>
            <code className="text-data leading-5 break-all">{line}</code>
          </div>
        ))}
    </div>
  )
}
