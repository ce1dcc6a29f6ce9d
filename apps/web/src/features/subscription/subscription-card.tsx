import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { getPlan, type Subscription } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { TriangleAlert } from 'lucide-react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { padTwoDigits } from '../../ui/format-time.ts'
import { useIsPhone } from '../../ui/media-query.ts'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { QueryError } from '../../ui/query-error.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { listQueuedPeriods } from './order-state.ts'
import { formatIto } from './purchase.ts'
import { computeTimeLeft, getStatus, getTone } from './subscription-time.ts'
import { useSubscription } from './use-subscription.ts'

/** The status of the subscription with a countdown in seconds. */
export function SubscriptionCard() {
  const { subscription, isPending, isError, retry } = useSubscription()
  const status = useNow((nowMs) => getStatus(subscription, nowMs))
  const tone = useNow((nowMs) => getTone(subscription, nowMs))
  return (
    <Panel title="Subscription status" actions={isPending ? null : <Badge tone={tone}>{status}</Badge>} plainHeader>
      <div className="-mt-2 min-h-32">
        {isPending && isError ? (
          <QueryError onRetry={retry}>The subscription could not be loaded.</QueryError>
        ) : isPending ? (
          <Skeleton className="h-24 w-full" />
        ) : (
          <>
            <Countdown endTime={subscription?.endTime ?? null} />
            {subscription && status === 'Active' ? (
              <RunningPlan subscription={subscription} />
            ) : (
              <NoPlan isExpired={status === 'Expired'} />
            )}
          </>
        )}
      </div>
    </Panel>
  )
}

const countdownParts = ['days', 'hours', 'minutes', 'seconds'] as const

function Countdown({ endTime }: { endTime: string | null }) {
  return (
    <dl aria-label="Time left" className="grid grid-cols-4 divide-x divide-line-1">
      {countdownParts.map((part) => (
        <div key={part} className="flex min-w-0 flex-col-reverse justify-end pl-4 first:pl-0 max-[374px]:pl-2.5">
          <dt className="text-hint wrap-anywhere text-2 max-[374px]:[font-stretch:85%]">{part}</dt>
          <CountdownNumber endTime={endTime} part={part} />
        </div>
      ))}
    </dl>
  )
}

function CountdownNumber({ endTime, part }: { endTime: string | null; part: (typeof countdownParts)[number] }) {
  const value = useNow((nowMs) => (endTime === null ? 0 : computeTimeLeft(endTime, nowMs)[part]))
  return <dd className={endTime === null ? 'text-number text-3' : 'text-number'}>{padTwoDigits(value)}</dd>
}

function RunningPlan({ subscription }: { subscription: Subscription }) {
  const plan = getPlan(subscription.planType)
  const layout = useIsPhone() ? 'rows' : 'strip'
  const { queued, currentPeriodEndTime } = useQueuedPeriods(subscription)
  // There is one cell per hour of the plan. A granted or extended period can be longer than the
  // plan; it is shown without cells.
  const hasCells = Date.parse(currentPeriodEndTime) - Date.parse(subscription.startTime) <= plan.hours * HOUR_MS
  return (
    <>
      {hasCells && (
        <CountdownCells hours={plan.hours} endsAt={currentPeriodEndTime} layout={layout} className="mt-4 md:w-full" />
      )}
      <p className="mt-4 flex flex-wrap justify-between gap-x-4 text-base">
        <span>
          <span className="font-semibold">{plan.name}</span>
          <span className="text-2">
            {` · ${formatIto(BigInt(subscription.tokenAmount))} ITO${hasCells ? ' · one cell per hour' : ''}`}
          </span>
        </span>
        <span className="text-2">
          Ends <Time at={subscription.endTime} show="date" className="text-data text-1" /> <ZoneName />
        </span>
      </p>
      {queued.map(({ planType, startTime, endTime }) => (
        <p key={startTime} className="mt-1 flex flex-wrap justify-between gap-x-4 text-base text-2">
          <span>
            Then <span className="text-1">{getPlan(planType).name}</span>, paid and queued
          </span>
          <span>
            <Time at={startTime} show="date" className="text-data" /> –{' '}
            <Time at={endTime} show="date" className="text-data" />
          </span>
        </p>
      ))}
      <ExpiryWarning endTime={subscription.endTime} />
    </>
  )
}

/**
 * Returns the queued periods and the end of the running period. If periods are queued, `endTime` of
 * the subscription is the end of the last one.
 */
function useQueuedPeriods({ startTime, endTime }: Subscription) {
  const { data } = useQuery(queries.orders)
  const nowMs = useNow((ms) => Math.floor(ms / queueCheckMs) * queueCheckMs)
  const queuedPeriods = listQueuedPeriods(data?.items ?? [], nowMs).filter((period) => period.startTime > startTime)
  return { queued: queuedPeriods, currentPeriodEndTime: queuedPeriods[0]?.startTime ?? endTime }
}

const queueCheckMs = 10_000

/** Minutes before the end at which screen readers announce it. */
const announcedMinutes = [1, 5, 15, 60]

/**
 * Warns in the last hour of the subscription. Before, an empty line reserves the space, so that the
 * layout does not shift. The status is separate, because the visible text changes each minute.
 */
function ExpiryWarning({ endTime }: { endTime: string }) {
  const minutes = useNow((nowMs) => Math.ceil((Date.parse(endTime) - nowMs) / 60_000))
  const announced = announcedMinutes.find((each) => minutes <= each)
  return (
    <>
      <span role="status" className="sr-only">
        {announced !== undefined && `The plan ends in less than ${formatMinutes(announced)}.`}
      </span>
      <p className="mt-2 flex min-h-5 flex-wrap items-center justify-between gap-x-4 text-base">
        {announced === undefined ? (
          <span />
        ) : (
          <span className="flex items-center gap-2">
            <TriangleAlert aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-medium" />
            {`Less than ${formatMinutes(minutes)} left. A new plan can be bought when this one ends.`}
          </span>
        )}
        <HistoryLink />
      </p>
    </>
  )
}

function formatMinutes(minutes: number): string {
  return minutes <= 1 ? 'a minute' : minutes === 60 ? 'an hour' : `${minutes} minutes`
}

function HistoryLink() {
  return (
    <Link to={paths.history} search={{ tab: 'payments' }} className="link touch-target">
      Payment history
    </Link>
  )
}

function NoPlan({ isExpired }: { isExpired: boolean }) {
  const { data: config } = useQuery(queries.config)
  return (
    <p className="mt-5 text-base text-2">{formatNoPlanMessage({ isExpired, delayHours: config?.publicDelayHours })}</p>
  )
}

function formatNoPlanMessage({ isExpired, delayHours }: { isExpired: boolean; delayHours: number | undefined }) {
  const state = isExpired ? 'Your plan has ended.' : 'No plan is running.'
  if (delayHours === 0) return `${state} On this site, alerts are public at once; a plan delivers them live.`
  const delay = delayHours ? `${delayHours} ${delayHours === 1 ? 'hour' : 'hours'} late` : 'late'
  return `${state} Alerts reach you ${delay} until you subscribe.`
}
