import { getPlan, type Subscription } from '@tocsin/protocol'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { usePhone } from '../../ui/media-query.ts'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { formatAmount } from '../../wallet/amount.ts'
import { usePurchase, useSubscription } from './purchase-provider.tsx'
import { statusOf, timeLeft, toneOf } from './subscription-time.ts'

/** Whether a plan runs, and how long still, to the second. */
export function SubscriptionCard() {
  const { subscription, isPending } = useSubscription()
  const status = useNow((nowMs) => statusOf(subscription, nowMs))
  const tone = useNow((nowMs) => toneOf(subscription, nowMs))
  return (
    <Panel title="Subscription status" right={isPending ? null : <Badge tone={tone}>{status}</Badge>} plainHeader>
      <div className="-mt-2 min-h-32">
        {isPending ? (
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

const parts = ['days', 'hours', 'minutes', 'seconds'] as const

function Countdown({ endTime }: { endTime: string | null }) {
  return (
    <dl aria-label="Time left" className="grid grid-cols-4 divide-x divide-line-1">
      {parts.map((part) => (
        <div key={part} className="flex flex-col-reverse pl-4 first:pl-0">
          <dt className="text-hint text-2">{part}</dt>
          <CountdownNumber endTime={endTime} part={part} />
        </div>
      ))}
    </dl>
  )
}

function CountdownNumber({ endTime, part }: { endTime: string | null; part: (typeof parts)[number] }) {
  const value = useNow((nowMs) => (endTime === null ? 0 : timeLeft(endTime, nowMs)[part]))
  return <dd className={endTime === null ? 'text-number text-3' : 'text-number'}>{String(value).padStart(2, '0')}</dd>
}

function RunningPlan({ subscription }: { subscription: Subscription }) {
  const plan = getPlan(subscription.planType)
  const layout = usePhone() ? 'rows' : 'strip'
  return (
    <>
      <CountdownCells hours={plan.hours} endsAt={subscription.endTime} layout={layout} className="my-4" />
      <p className="flex flex-wrap justify-between gap-x-4 text-base">
        <span>
          <span className="font-semibold">{plan.name}</span>
          <span className="text-2"> · {formatAmount(BigInt(subscription.tokenAmount), 0)} ITO · one cell per hour</span>
        </span>
        <span className="text-2">
          Ends <Time at={subscription.endTime} show="date" className="text-data text-1" />
        </span>
      </p>
    </>
  )
}

function NoPlan({ isExpired }: { isExpired: boolean }) {
  const { open } = usePurchase()
  return (
    <div className="mt-5 flex flex-wrap items-center justify-between gap-3">
      <p className="min-w-48 flex-1 text-base text-2">
        {isExpired ? 'Your plan has ended.' : 'No plan is running.'} Alerts reach you 24 hours late until you subscribe.
      </p>
      <Button variant="primary" onClick={() => open()}>
        Subscribe
      </Button>
    </div>
  )
}
