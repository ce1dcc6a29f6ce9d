import { type AdminUserDetail, getPlan } from '@tocsin/protocol'
import { adminUsersTexts } from '../../texts/admin-users.tsx'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { itoAmount } from './ito-amount.ts'
import { Transaction } from './transaction.tsx'
import { UserSection } from './user-section.tsx'

const texts = adminUsersTexts.userHistory

type Period = AdminUserDetail['subscriptions'][number]

const periodLooks: Record<Period['state'], { tone: BadgeTone; word: string }> = {
  running: { tone: 'ok', word: texts.running },
  queued: { tone: 'medium', word: texts.queued },
  ended: { tone: 'neutral', word: texts.ended },
  cancelled: { tone: 'neutral', word: texts.cancelled },
  revoked: { tone: 'critical', word: texts.paymentLeftTheChain },
}

const rowLook = 'flex min-h-10 flex-wrap items-center gap-x-4 gap-y-1 py-1.5 text-base'

/** Every period the account ever had. */
export function UserPeriods({ detail: { subscriptions } }: { detail: AdminUserDetail }) {
  if (subscriptions.length === 0) return null
  return (
    <UserSection title={texts.periods}>
      <ul className="divide-y divide-line-1">
        {subscriptions.map(({ id, state, planType, startTime, endTime, extendedHours }) => (
          <li key={id} className={rowLook}>
            <span className="w-16">{getPlan(planType).name}</span>
            <span className="min-w-0 flex-1 text-2">
              {texts.toStartTimeEndTime({
                startTime: <Time at={startTime} show="date" className="text-data" />,
                endTime: <Time at={endTime} show="date" className="text-data" />,
              })}
              {extendedHours > 0 && (
                <>
                  {', '}
                  <span aria-hidden className="text-data">
                    {texts.extendedBy({ hours: extendedHours })}
                  </span>
                  <span className="sr-only">{texts.extendedByWords({ hours: extendedHours })}</span>
                </>
              )}
            </span>
            <Badge tone={periodLooks[state].tone}>{periodLooks[state].word}</Badge>
          </li>
        ))}
      </ul>
    </UserSection>
  )
}

/** By how much admins have prolonged its access, who, when and why. */
export function UserExtensions({ detail: { extensions } }: { detail: AdminUserDetail }) {
  if (extensions.length === 0) return null
  return (
    <UserSection title={texts.extensions}>
      <ul className="divide-y divide-line-1">
        {extensions.map(({ id, hours, at, by, reason }) => (
          <li key={id} className={rowLook}>
            <span className="w-16">{texts.hours({ hours })}</span>
            <span className="min-w-0 flex-1 wrap-anywhere text-2">
              {texts.byAt({
                by: by === null ? texts.commandLine : (by.name ?? texts.deletedAccount),
                at: <Time at={at} show="date" className="text-data" />,
              })}
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
    <UserSection title={texts.payments}>
      {payments.length === 0 && <p className="text-base text-2">{texts.noPaymentsYet}</p>}
      <ul className="divide-y divide-line-1">
        {payments.map(({ id, at, tokenAmount, planType, transactionHash, chainId, state }) => (
          <li key={id} className={rowLook}>
            <Time at={at} show="date" className="text-data text-2" />
            <span className="text-data font-medium wrap-anywhere">{itoAmount(tokenAmount)}</span>
            <span className="min-w-0 flex-1 text-2">{getPlan(planType).name}</span>
            <Transaction hash={transactionHash} chainId={chainId} />
            {state === 'reverted' && <Badge tone="critical">{texts.leftTheChain}</Badge>}
          </li>
        ))}
      </ul>
    </UserSection>
  )
}
