import { useQuery } from '@tanstack/react-query'
import { getPlan } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { ChevronDown } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Dot } from '../../shell/status.tsx'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { formatCount } from '../../ui/count.ts'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { useMediaQuery } from '../../ui/media-query.ts'
import { useNow } from '../../ui/now.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { Time } from '../../ui/time.tsx'
import { formatDemoMarket } from '../prediction/demo-texts.ts'
import { formatTimeLeft, getTone } from '../subscription/subscription-time.ts'
import { useSubscription } from '../subscription/use-subscription.ts'
import { feedStates, toneClasses } from './feed-states.ts'
import { StreamSlot } from './header-slots.tsx'

type StatusLineProps = {
  isOpen: boolean
  /** Id of the cards whose content the line summarises. */
  cardsId: string
  onToggle: () => void
}

/**
 * Shows connection, plan, track record and system on one line. Its button shows the cards with the
 * details.
 */
export const StatusLine = memo(function StatusLine({ isOpen, cardsId, onToggle }: StatusLineProps) {
  return (
    <section
      aria-label="Status"
      className="flex h-10 shrink-0 items-stretch divide-x divide-line-1 border-b border-line-1 *:shrink-0"
    >
      <MarketCell />
      <Cell>
        <StreamSlot isShort />
      </Cell>
      <PlanCell />
      <TrackRecordCell />
      <SystemCell />
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={cardsId}
        onClick={onToggle}
        className="focus-inset touch-target ml-auto flex items-center gap-2 border-l-0! px-4 text-hint font-medium text-2 hover:text-1"
      >
        <span className="phone:sr-only">Details</span>
        <ChevronDown aria-hidden size={16} strokeWidth={2.25} className={isOpen ? 'rotate-180' : undefined} />
      </button>
    </section>
  )
})

type CellProps = { label?: string; className?: string; children: ReactNode }

function Cell({ label, className, children }: CellProps) {
  return (
    <div className={classNames('flex items-center gap-2 px-4 whitespace-nowrap phone:px-3', className)}>
      {label !== undefined && <span className="text-label text-2 phone:sr-only">{label}</span>}
      {children}
    </div>
  )
}

/** Names the market that the figures of a demo are about. Renders nothing outside a demo. */
export function MarketCell() {
  const { data: config } = useQuery(queries.config)
  const words = formatDemoMarket(config)
  return (
    words && (
      <Cell className="max-md:hidden">
        <Badge>{words}</Badge>
      </Cell>
    )
  )
}

/**
 * Matches the seconds of "23:59:14" and "2 d 23:59:14", which phones hide. Does not match if less
 * than one hour is left.
 */
const secondsPattern = /(?<=[1-9].*:\d\d):\d\d$/

export function PlanCell() {
  const { subscription, isPending } = useSubscription()
  const plan = subscription && getPlan(subscription.planType)
  const timeLeft = useNow((nowMs) => (subscription ? formatTimeLeft(subscription.endTime, nowMs) : ''))
  const isEnding = useNow((nowMs) => getTone(subscription, nowMs) === 'medium')
  // Render the cells of the hours only on wide screens. Hiding them with CSS on other screens would
  // still render up to 72 cells.
  const isWide = useMediaQuery('(width >= 100rem)')
  // The cells show the hours of one plan. A subscription can be longer, because time was granted,
  // extended or queued.
  const isSinglePlanLength =
    subscription &&
    Date.parse(subscription.endTime) - Date.parse(subscription.startTime) <= (plan?.hours ?? 0) * HOUR_MS
  return (
    <Cell label="Plan">
      {subscription && plan ? (
        <>
          <span className="font-medium max-xl:hidden">{plan.name}</span>
          {/* The cells are hidden from screen readers, because the text beside them says the
              same. */}
          {isWide && isSinglePlanLength && (
            <span aria-hidden>
              <CountdownCells
                hours={plan.hours}
                endsAt={subscription.endTime}
                layout={plan.hours > 24 ? 'line' : 'strip'}
              />
            </span>
          )}
          <span className={classNames('text-data font-medium', isEnding && 'text-medium')}>
            {timeLeft.replace(secondsPattern, '')}
            <span className="phone:hidden">{secondsPattern.exec(timeLeft)?.[0]}</span>
          </span>
          <span className="text-2">
            left
            {isEnding && (
              <span className="max-xl:hidden">
                , ends <Time at={subscription.endTime} className="text-data" />
              </span>
            )}
          </span>
        </>
      ) : (
        <span className="text-2">
          {isPending ? (
            '—'
          ) : (
            <>
              <span className="phone:hidden">none</span>
              <span className="md:hidden">No plan</span>
            </>
          )}
        </span>
      )}
    </Cell>
  )
}

export function TrackRecordCell() {
  const { data } = useQuery(queries.status)
  const { data: config } = useQuery(queries.config)
  const demo = formatDemoMarket(config)
  const rate = data?.measured.successRate ?? null
  return (
    <Cell label="Record" className="min-w-0 shrink!">
      <SiteLink
        href={paths.trackRecord}
        className="focus-inset touch-target min-w-0 hover:underline max-md:line-clamp-2 max-md:leading-tight max-md:whitespace-normal md:truncate"
      >
        {rate === null ? (
          <span className="text-2">{data ? 'Not measured yet' : '—'}</span>
        ) : (
          <>
            <span className="mr-1 text-data font-medium">{rate.toFixed(1)}%</span>{' '}
            <span className="text-2">
              {/* Wide screens have a separate cell with the market of the demo. */}
              <span className={demo ? 'max-md:hidden' : undefined}>came </span>true
              {demo && <span className="md:hidden">, demo</span>}
              <span className="max-xl:hidden">, n {formatCount(data?.measured.successSample ?? 0)}</span>
            </span>
          </>
        )}
      </SiteLink>
    </Cell>
  )
}

function SystemCell() {
  const { data } = useQuery(queries.status)
  const { data: head } = useQuery(queries.logHead)
  const feed = data && feedStates[data.feed.state]
  return (
    <Cell label="System" className="max-lg:hidden">
      <Dot className={toneClasses[feed?.tone ?? 'off']} />
      <span>
        Feed <span className="text-2">{feed?.label.toLowerCase() ?? '—'}</span>
      </span>
      {head?.anchored && (
        <span className="ml-2 max-xl:hidden">
          Anchor <Time at={head.anchored.at} className="text-data text-2" />
        </span>
      )}
    </Cell>
  )
}
