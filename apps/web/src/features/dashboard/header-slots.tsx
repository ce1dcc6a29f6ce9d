import { useLocation } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { paths } from '../../paths.ts'
import { Dot, LiveStatus } from '../../shell/status.tsx'
import { useStreamStatus } from '../../stream/stream-status.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatAmount } from '../../wallet/amount.ts'
import { useWalletField } from '../../wallet/use-wallet-state.ts'
import { useWallet, useWalletActions } from '../../wallet/wallet.tsx'
import { usePurchase } from '../subscription/purchase-provider.tsx'
import { useSubscription } from '../subscription/use-subscription.ts'
import { useNotLiveReason } from './not-live-reason.ts'

/** Shows the state of the live stream, or why the page opens no stream. */
export function StreamSlot({ isShort = false }: { isShort?: boolean }) {
  const { state, lastMessageAt, isNeeded, gaps } = useStreamStatus()
  const { isPending, isError } = useSubscription()
  const status = useWalletField('status')
  const notLiveReason = useNotLiveReason()
  if (isNeeded) {
    const lostAt = gaps.find(({ to }) => to === null)?.from ?? null
    return <LiveStatus state={state} lastMessageAt={lastMessageAt} lostAt={lostAt} isShort={isShort} />
  }
  if ((isPending && !isError) || status === 'reconnecting') return <Skeleton className="h-5 w-28" />
  return (
    <span role="status" className="flex min-w-0 items-center gap-2 text-2">
      <Dot className="bg-text-3" />
      <span className="min-w-0 leading-4 lg:whitespace-nowrap">{notLiveReason}</span>
    </span>
  )
}

export function WalletSlot() {
  const { status, isCorrectNetwork, network, openConnect, switchNetwork } = useWallet()
  const { pathname } = useLocation()
  if (status === 'reconnecting') return <Skeleton className="h-8 w-52" />
  if (status !== 'connected') {
    // The dashboard has its own Connect Wallet button.
    if (pathname === paths.dashboard) return null
    return (
      <Button inHeader onClick={openConnect}>
        Connect Wallet
      </Button>
    )
  }
  if (isCorrectNetwork) {
    return (
      <span className={classNames(badgeClasses, 'border-line-2')}>
        <Dot className="bg-ok" />
        <BadgeLabel label="Wallet Connected" detail={network.name} />
      </span>
    )
  }
  return (
    <button
      type="button"
      onClick={() => void switchNetwork()}
      className={classNames(badgeClasses, 'border-critical hover:bg-critical/14 touch-target')}
    >
      <Dot className="bg-critical" />
      <BadgeLabel label="Wrong Network" detail={`Switch to ${network.name}`} />
    </button>
  )
}

const badgeClasses =
  'inline-flex h-8 items-center gap-2 rounded-control border px-3 text-hint font-medium whitespace-nowrap max-lg:border-0 max-lg:px-0 max-lg:text-base'

/**
 * Label of a badge, with a detail. On narrow screens the detail is hidden if there is no space for
 * it. Screen readers read it anyway.
 */
function BadgeLabel({ label, detail }: { label: string; detail: string }) {
  return (
    <span className="flex gap-x-2 max-lg:h-5 max-lg:flex-wrap max-lg:overflow-hidden">
      {label}
      <span className="font-normal text-2 max-[374px]:sr-only lg:max-xl:sr-only">{detail}</span>
    </span>
  )
}

export function BalanceSlot() {
  const { refreshBalance } = useWalletActions()
  const status = useWalletField('status')
  const balanceWei = useWalletField('balanceWei')
  const isRefreshing = useWalletField('isRefreshing')
  if (status === 'reconnecting') return <Skeleton className="h-8 w-26" />
  if (status !== 'connected') return null
  // An unknown balance is shown as a dash. A click on the button refreshes the balance.
  const balance = balanceWei === null ? null : formatAmount(balanceWei, 0)
  return (
    <Button
      inHeader
      disabled={isRefreshing}
      onClick={() => void refreshBalance()}
      aria-label={balance === null ? 'Balance unknown, refresh' : `Balance ${balance} ITO, refresh`}
    >
      <span className="min-w-14 text-right text-data font-medium text-1">{balance ?? '—'} ITO</span>
      <RefreshCw aria-hidden size={14} strokeWidth={2} className="text-2 max-[374px]:hidden" />
    </Button>
  )
}

export function SubscribeSlot() {
  const status = useWalletField('status')
  const { isPaying, open } = usePurchase()
  const { subscription } = useSubscription()
  if (status === 'reconnecting') return <Skeleton className="h-8 w-22" />
  if (status !== 'connected') return null
  return (
    <Button inHeader variant={isPaying || subscription !== null ? 'secondary' : 'primary'} onClick={() => open()}>
      {isPaying ? 'Payment…' : 'Subscribe'}
    </Button>
  )
}
