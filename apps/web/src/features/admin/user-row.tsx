import type { AdminUser } from '@tocsin/protocol'
import { Shield, User } from 'lucide-react'
import { memo } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { shortenHex } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'
import { Allowed } from './allowed.tsx'
import { formatRoundedIto } from './business-texts.ts'
import { roleLabels } from './role-texts.ts'
import { formatHours, getDisplayName } from './user-texts.ts'

export interface UserRowActions {
  onOpen: (user: AdminUser) => void
  onExtend: (user: AdminUser) => void
  onCancel: (user: AdminUser) => void
}

// All cells are on one line if they fit, else on two lines. On phones they are stacked.
export const userColumns =
  'grid items-center gap-x-4 px-5 phone:px-4 lg:grid-cols-[16px_minmax(0,1.5fr)_144px_minmax(0,1.4fr)_104px_112px_136px] ' +
  'xl:grid-cols-[16px_minmax(0,1.5fr)_144px_minmax(0,1.4fr)_104px_88px_96px_112px_136px] ' +
  'max-lg:grid-cols-[16px_minmax(0,1fr)_144px_176px] phone:grid-cols-[16px_minmax(0,1fr)]'

/**
 * The row of one account. A list can have thousands of rows, so `content-visibility` makes the
 * browser skip the layout of rows that are not visible.
 */
export const UserRow = memo(function UserRow({ user, ...actions }: { user: AdminUser } & UserRowActions) {
  const { isAdmin, role, email, walletAddress, wallets, activeSubscription, suspendedAt, paidWei, lastSeenAt } = user
  const Icon = isAdmin ? Shield : User
  const name = getDisplayName(user)
  const otherWalletCount = wallets.length - 1
  return (
    <tr
      className={`${userColumns} relative min-h-12 border-t border-line-1 py-2 text-base transition-[background-color] [contain-intrinsic-size:auto_31px] [content-visibility:auto] focus-within:bg-ink-2 hover:bg-ink-2 max-lg:gap-y-1 max-lg:py-2.5`}
    >
      <td className="text-2">
        <Icon aria-hidden size={16} strokeWidth={2.25} />
        <span className="sr-only">{roleLabels[role].name}</span>
      </td>
      <td className="flex min-w-0 items-center gap-2">
        <button
          type="button"
          title={name}
          onClick={() => actions.onOpen(user)}
          className="focus-inset min-w-0 truncate text-left font-semibold outline-offset-2 after:absolute after:inset-0"
        >
          {name}
        </button>
        {isAdmin && <Badge plain>{role === 'admin' ? 'Admin' : roleLabels[role].name}</Badge>}
        {suspendedAt !== null && <Badge tone="critical">Suspended</Badge>}
      </td>
      <td className="text-2 phone:col-start-2 phone:row-start-3">
        {activeSubscription ? (
          <>
            <Badge tone="ok">{`Active: ${activeSubscription.planType}`}</Badge>
            <Extended hours={activeSubscription.extendedHours} />
          </>
        ) : (
          'No Subscription'
        )}
      </td>
      <td title={email ?? undefined} className="truncate text-2 max-lg:col-start-2 max-lg:row-start-2">
        {email ?? <EmptyCell>No email</EmptyCell>}
      </td>
      <td
        title={wallets.join(' ')}
        className="text-data whitespace-nowrap text-2 max-lg:col-start-3 max-lg:row-start-2 phone:hidden"
      >
        {walletAddress === null ? <EmptyCell>No wallet</EmptyCell> : shortenHex(walletAddress)}
        {otherWalletCount > 0 && ` +${otherWalletCount}`}
      </td>
      <td className="text-right text-data whitespace-nowrap max-xl:hidden">
        {paidWei === null ? <EmptyCell>Not shown to your role</EmptyCell> : formatRoundedIto(paidWei)}
      </td>
      <td className="whitespace-nowrap text-2 max-xl:hidden">
        {lastSeenAt === null ? <EmptyCell>Never seen</EmptyCell> : <Time at={lastSeenAt} show="relative" />}
      </td>
      <td className="text-data whitespace-nowrap max-lg:col-start-4 max-lg:row-start-1 max-lg:text-right phone:col-start-2 phone:row-start-4 phone:text-left">
        {activeSubscription ? (
          <>
            <span aria-hidden className="font-sans text-hint text-2 lg:hidden">
              Ends
            </span>{' '}
            <Time at={activeSubscription.endTime} show="date" />
          </>
        ) : (
          <EmptyCell unheaded>Never</EmptyCell>
        )}
      </td>
      <td className="relative z-1 flex flex-wrap justify-end gap-1 max-lg:col-start-4 max-lg:row-start-2 phone:col-start-2 phone:row-start-5 phone:justify-start phone:pt-1 phone:empty:hidden">
        {activeSubscription && (
          <Allowed to="payments.manage">
            <Button size="sm" aria-label={`Extend the subscription of ${name}`} onClick={() => actions.onExtend(user)}>
              Extend
            </Button>
            <Button
              size="sm"
              variant="ghost"
              aria-label={`Cancel the subscription of ${name}`}
              onClick={() => actions.onCancel(user)}
            >
              Cancel
            </Button>
          </Allowed>
        )}
      </td>
    </tr>
  )
})

/**
 * Hours by which admins extended the plan. The plan badge shows only the hours that were bought.
 */
function Extended({ hours }: { hours: number }) {
  if (hours === 0) return null
  return (
    <>
      <span aria-hidden className="ml-1.5 text-data whitespace-nowrap">
        +{formatCount(hours)} h
      </span>
      <span className="sr-only">, extended by {formatHours(hours)}</span>
    </>
  )
}

/**
 * Em dash with a screen-reader label.
 * @param unheaded hides the dash on narrow screens, where the column heading is hidden too
 */
function EmptyCell({ unheaded = false, children }: { unheaded?: boolean; children: string }) {
  return (
    <>
      <span aria-hidden className={unheaded ? 'max-lg:hidden' : undefined}>
        —
      </span>
      <span className="sr-only">{children}</span>
    </>
  )
}
