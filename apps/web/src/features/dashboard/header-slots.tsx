import { useLocation } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { paths } from '../../paths.ts'
import { Dot, LiveStatus } from '../../shell/status.tsx'
import { useStreamStatus } from '../../stream-status.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { formatAmount } from '../../wallet/amount.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { usePurchase } from '../subscription/purchase-provider.tsx'
import { useSubscription } from '../subscription/use-subscription.ts'
import { useWhyNotLive } from './why-not-live.ts'

/** Live, Reconnecting or Offline; without a plan there is no stream to speak of. */
export function StreamSlot() {
  const { state, lastMessageAt, isWanted, gaps } = useStreamStatus()
  const { isPending } = useSubscription()
  const whyNotLive = useWhyNotLive()
  if (isWanted) {
    const lostAt = gaps.find(({ to }) => to === null)?.from ?? null
    return <LiveStatus state={state} lastMessageAt={lastMessageAt} lostAt={lostAt} />
  }
  if (isPending) return <Skeleton className="h-5 w-28" />
  return (
    <span role="status" className="flex min-w-0 items-center gap-2 text-2">
      <Dot className="bg-text-3" />
      <span className="min-w-0 leading-4 lg:whitespace-nowrap">{whyNotLive}</span>
    </span>
  )
}

export function WalletSlot() {
  const { status, isCorrectNetwork, network, openConnect, switchNetwork } = useWallet()
  const { pathname } = useLocation()
  if (status === 'reconnecting') return <Skeleton className="h-8 w-52" />
  if (status !== 'connected') {
    // On the dashboard the page itself is that button.
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
        <BadgeWords words="Wallet Connected" beside={network.name} />
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
      <BadgeWords words="Wrong Network" beside={`Switch to ${network.name}`} />
    </button>
  )
}

const badgeClasses =
  'inline-flex h-8 items-center gap-2 rounded-control border px-3 text-hint font-medium whitespace-nowrap max-lg:border-0 max-lg:px-0 max-lg:text-base'

/**
 * On narrow screens the second part wraps out of sight where it does not fit; it is still read out.
 */
function BadgeWords({ words, beside }: { words: string; beside: string }) {
  return (
    <span className="flex gap-x-2 max-lg:h-5 max-lg:flex-wrap max-lg:overflow-hidden">
      {words}
      <span className="font-normal text-2 max-[374px]:sr-only lg:max-xl:sr-only">{beside}</span>
    </span>
  )
}

export function BalanceSlot() {
  const { status, balanceWei, isRefreshing, refreshBalance } = useWallet()
  if (status === 'reconnecting') return <Skeleton className="h-8 w-26" />
  if (status !== 'connected') return null
  // One that could not be read is a dash: the chip is also what reads it again.
  const balance = balanceWei === null ? null : formatAmount(balanceWei, 0)
  return (
    <Button
      inHeader
      disabled={isRefreshing}
      onClick={() => void refreshBalance()}
      aria-label={balance === null ? 'Balance unknown, read it again' : `Balance ${balance} ITO, refresh`}
    >
      <span className="min-w-14 text-right text-data font-medium text-1">{balance ?? '—'} ITO</span>
      <RefreshCw aria-hidden size={14} strokeWidth={2} className="text-2 max-[374px]:hidden" />
    </Button>
  )
}

export function SubscribeSlot() {
  const { status } = useWallet()
  const { isPaying, open } = usePurchase()
  if (status === 'reconnecting') return <Skeleton className="h-8 w-22" />
  if (status !== 'connected') return null
  return (
    <Button inHeader variant={isPaying ? 'secondary' : 'primary'} onClick={() => open()}>
      {isPaying ? 'Payment…' : 'Subscribe'}
    </Button>
  )
}
