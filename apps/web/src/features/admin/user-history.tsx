import { type AdminUserDetail, getPlan } from '@tocsin/protocol'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { formatCount } from '../../ui/count.ts'
import { Time } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { formatItoAmount } from './ito-amount.ts'
import { UserSection } from './user-section.tsx'
import { formatHours } from './user-texts.ts'

type Period = AdminUserDetail['subscriptions'][number]

const periodStyles: Record<Period['state'], { tone: BadgeTone; word: string }> = {
  running: { tone: 'ok', word: 'Running' },
  queued: { tone: 'medium', word: 'Queued' },
  ended: { tone: 'neutral', word: 'Ended' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
  revoked: { tone: 'critical', word: 'Payment removed by a reorg' },
}

const rowClasses = 'flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 py-1.5 text-base'

/** All subscription periods of the account. */
export function UserPeriods({ detail: { subscriptions } }: { detail: AdminUserDetail }) {
  if (subscriptions.length === 0) return null
  return (
    <UserSection title="Periods">
      <ul className="divide-y divide-line-1">
        {subscriptions.map(({ id, state, planType, startTime, endTime, extendedHours }) => (
          <li key={id} className={rowClasses}>
            <span className="w-16">{getPlan(planType).name}</span>
            <span className="min-w-0 flex-1 text-2">
              <Time at={startTime} show="date" className="text-data" /> to{' '}
              <Time at={endTime} show="date" className="text-data" />
              {extendedHours > 0 && (
                <>
                  {', '}
                  <span aria-hidden className="text-data">
                    +{formatCount(extendedHours)} h
                  </span>
                  <span className="sr-only">extended by {formatHours(extendedHours)}</span>
                </>
              )}
            </span>
            <Badge tone={periodStyles[state].tone}>{periodStyles[state].word}</Badge>
          </li>
        ))}
      </ul>
    </UserSection>
  )
}

/** Extensions by admins: hours, admin, time and reason. */
export function UserExtensions({ detail: { extensions } }: { detail: AdminUserDetail }) {
  if (extensions.length === 0) return null
  return (
    <UserSection title="Extensions">
      <ul className="divide-y divide-line-1">
        {extensions.map(({ id, hours, at, by, reason }) => (
          <li key={id} className={rowClasses}>
            <span className="w-16">{formatHours(hours)}</span>
            <span className="min-w-0 flex-1 wrap-anywhere text-2">
              by {by === null ? 'the command line' : (by.name ?? 'a deleted account')},{' '}
              <Time at={at} show="date" className="text-data" />
              {reason !== null && <span className="block">“{reason}”</span>}
            </span>
          </li>
        ))}
      </ul>
    </UserSection>
  )
}

export function UserPayments({ detail: { payments } }: { detail: AdminUserDetail }) {
  return (
    <UserSection title="Payments">
      {payments.length === 0 && <p className="text-base text-2">No payments yet</p>}
      <ul className="divide-y divide-line-1">
        {payments.map(({ id, at, tokenAmount, planType, transactionHash, chainId, state }) => (
          <li key={id} className={rowClasses}>
            <Time at={at} show="date" className="text-data text-2" />
            <span className="text-data font-medium wrap-anywhere">{formatItoAmount(tokenAmount)}</span>
            <span className="min-w-0 flex-1 text-2">{getPlan(planType).name}</span>
            <Transaction hash={transactionHash} chainId={chainId} />
            {state === 'reverted' && <Badge tone="critical">Removed by a reorg</Badge>}
          </li>
        ))}
      </ul>
    </UserSection>
  )
}
