import { useQuery } from '@tanstack/react-query'
import type { LogAnchor, LogStats, PublicConfig } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { ghostLeaf } from '../../ui/empty-state.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { logQueries } from './log-queries.ts'

/**
 * Positions in the row, oldest anchor first. `back` is 1 for the newest anchor. `hidden` is the
 * class that hides the position on narrow screens.
 */
const positions = [
  { back: 5, hidden: 'max-lg:hidden' },
  { back: 4, hidden: 'max-lg:hidden' },
  { back: 3, hidden: 'phone:hidden' },
  { back: 2, hidden: 'phone:hidden' },
  { back: 1, hidden: '' },
]

type AnchorRailProps = { stats: LogStats | undefined; config: PublicConfig | undefined }

/**
 * The newest anchors as a row of seals, each drawn from its root. Each anchor includes all entries
 * of the previous one.
 */
export function AnchorRail({ stats, config }: AnchorRailProps) {
  const { data: anchors, isError } = useQuery({
    ...logQueries.anchors(stats?.anchoredSize ?? 0),
    enabled: stats !== undefined && stats.anchoredSize > 0,
  })
  return (
    <Panel
      title="Anchors, newest at the right"
      actions={<span className="text-base text-2 phone:hidden">{config && `on ${config.anchor.chainName}`}</span>}
      footer={
        <span>
          Each seal is drawn from its root. Every root also covers the entries of all earlier roots. Times are in{' '}
          <ZoneName />.
        </span>
      }
      className="mt-4"
      flush
    >
      <ol className="relative grid grid-cols-6 overflow-hidden px-2 py-8 max-lg:grid-cols-4 phone:grid-cols-2 phone:py-6">
        {positions.map(({ back, hidden }) => {
          const anchor = anchors?.[back - 1]
          return (
            <Link key={back} className={hidden} isEmpty={!anchor} hasBefore={anchors?.[back] !== undefined}>
              {anchor ? (
                <AnchoredLink anchor={anchor} before={anchors?.[back]} />
              ) : (
                <NoAnchor isReading={stats === undefined || (stats.anchoredSize > 0 && !anchors && !isError)} />
              )}
            </Link>
          )
        })}
        <Link isEmpty hasBefore>
          <WaitingEntries stats={stats} />
        </Link>
      </ol>
    </Panel>
  )
}

type LinkProps = { isEmpty: boolean; hasBefore: boolean; className?: string; children: ReactNode }

function Link({ isEmpty, hasBefore, className, children }: LinkProps) {
  return (
    <li className={classNames('relative flex min-w-0 flex-col items-center text-center', className)}>
      {hasBefore && (
        <span
          aria-hidden
          className={classNames(
            'absolute top-9 right-1/2 mr-11 w-[calc(100%-88px)] border-t',
            isEmpty ? 'border-dashed border-line-2' : 'border-seal',
          )}
        />
      )}
      {children}
    </li>
  )
}

function AnchoredLink({ anchor: { size, root, at }, before }: { anchor: LogAnchor; before: LogAnchor | undefined }) {
  return (
    <>
      <Seal leafHash={root} root={root} state="anchored" size={72} />
      <p className="mt-4 text-number-sm">{formatCount(size)}</p>
      <p className="text-data text-2">{before ? `+${formatCount(size - before.size)}` : 'entries'}</p>
      <Time at={at} className="mt-1 text-data text-2" />
    </>
  )
}

function NoAnchor({ isReading }: { isReading: boolean }) {
  return (
    <>
      <Seal leafHash={ghostLeaf} state="unsigned" size={72} decorative className="opacity-50" />
      <span className="mt-4 flex h-15 flex-col items-center gap-2">
        {isReading && <Skeleton className="h-4 w-14" />}
      </span>
    </>
  )
}

function WaitingEntries({ stats }: { stats: LogStats | undefined }) {
  const waitingCount = stats ? Math.max(0, stats.size - stats.anchoredSize) : 0
  return (
    <>
      <Seal leafHash={ghostLeaf} state="unsigned" size={72} />
      <p className="mt-4 text-number-sm text-2">{waitingCount > 0 ? `+${formatCount(waitingCount)}` : 'Next'}</p>
      <p className="text-data text-2">{waitingCount > 0 ? 'waiting' : 'none waiting'}</p>
    </>
  )
}
