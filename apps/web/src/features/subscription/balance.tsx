import { Button } from '../../ui/button.tsx'
import { formatAmount } from '../../wallet/amount.ts'
import { useWallet } from '../../wallet/wallet.tsx'

/**
 * The connected wallet's ITO balance, rounded down to two decimals. An unknown balance (null) is
 * shown as a dash, never as 0. The retry button is shown only if the wallet is on the payment
 * chain, because the balance may be unreadable on another chain.
 */
export function Balance({ balanceWei }: { balanceWei: bigint | null }) {
  const { status, isCorrectNetwork, isRefreshing, refreshBalance } = useWallet()
  if (balanceWei !== null)
    return <span className="text-data whitespace-nowrap">{formatAmount(balanceWei, 2, 'down')} ITO</span>
  return (
    <span className="inline-flex items-center gap-1 text-data whitespace-nowrap">
      <span aria-hidden>— ITO</span>
      <span className="sr-only">Balance unknown</span>
      {status === 'connected' && isCorrectNetwork && (
        <Button size="sm" variant="ghost" busy={isRefreshing} onClick={() => void refreshBalance()}>
          {isRefreshing ? 'Reading…' : 'Try again'}
        </Button>
      )}
    </span>
  )
}
