import { useNavigate } from '@tanstack/react-router'
import { getPlan } from '@tocsin/protocol'
import { Wallet } from 'lucide-react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useNow } from '../../ui/now.ts'
import { dateTime } from '../../ui/time-words.ts'
import { formatAmount, formatFee } from '../../wallet/amount.ts'
import { useWallet } from '../../wallet/wallet.tsx'
import { useNetworkFee } from './network-fee.ts'
import type { Purchase } from './purchase.ts'
import { useObstacle, usePurchase } from './purchase-provider.tsx'

const hourMs = 3_600_000

/** One sentence that says what is true now, and one button that says what comes next. */
export function PurchaseActions() {
  const { purchase, close, stopWaiting } = usePurchase()
  const isRunning = purchase.phase === 'sent' || purchase.phase === 'confirming'
  const isAsking = purchase.phase === 'proving' || purchase.phase === 'wallet'
  return (
    <>
      <div aria-live="polite" className="min-h-15 pt-4 pb-1 text-base">
        <Sentence />
      </div>
      <div className="grid gap-2 pt-3">
        <MainButton />
        {purchase.phase === 'active' ? (
          <AddToken />
        ) : (
          <Button size="lg" variant="ghost" onClick={isAsking ? stopWaiting : close}>
            {isAsking ? 'Stop waiting' : isRunning ? 'Close' : 'Cancel'}
          </Button>
        )}
      </div>
    </>
  )
}

function Sentence() {
  const { purchase } = usePurchase()
  const { walletName } = useWallet()
  const { phase, message, technical, progress } = purchase
  const { price } = getPlan(purchase.planId)
  switch (phase) {
    case 'confirm':
    case 'choose':
      return <Offer purchase={purchase} />
    case 'proving':
      return `${walletName ?? 'Your wallet'} asks for a signature. It shows that the wallet is yours and costs nothing.`
    case 'wallet':
      return `A request is open in ${walletName ?? 'your wallet'}. Check that it says ${price} ITO to the treasury above.`
    case 'sent':
      return 'Your payment is on its way. You may close this page; the payment is found either way.'
    case 'confirming': {
      const missing = Math.max(1, (progress?.required ?? 1) - (progress?.confirmations ?? 0))
      return `${missing} more confirmation${missing === 1 ? '' : 's'}. You may close this page; the payment is found either way.`
    }
    case 'active':
      return 'Live alerts are on. The payment was read from the chain, not from your browser.'
    case 'rejected':
      return message
    case 'failed':
      return (
        <>
          <p>{message}</p>
          {technical !== null && <TechnicalDetails text={technical} />}
          <p className="mt-1 text-hint text-2">We never ask for your seed phrase.</p>
        </>
      )
  }
}

function Offer({ purchase }: { purchase: Purchase }) {
  const { network, nativeWei } = useWallet()
  const plan = getPlan(purchase.planId)
  const fee = useNetworkFee(plan.priceWei)
  const obstacle = useObstacle(purchase.planId)
  const ends = useNow((nowMs) => dateTime(nowMs + plan.hours * hourMs))
  if (obstacle !== null) return obstacle
  if (fee !== null && nativeWei !== null && nativeWei < fee) {
    const { symbol } = network
    return `You need about ${formatFee(fee)} ${symbol} for the network fee; you have ${formatAmount(nativeWei, 6, 'down')}.`
  }
  return `One transfer of exactly ${plan.price} ITO on ${network.name}. Access ends ${ends} UTC and does not renew.`
}

function TechnicalDetails({ text }: { text: string }) {
  return (
    <details className="mt-1 text-hint text-2">
      <summary className="cursor-pointer">Technical details</summary>
      <p className="mt-1 flex items-start gap-2">
        <code className="max-h-24 min-w-0 flex-1 overflow-auto text-data wrap-anywhere">{text}</code>
        <CopyButton text={text} label="Copy technical details" />
      </p>
    </details>
  )
}

function MainButton() {
  const { purchase, pay, close } = usePurchase()
  const wallet = useWallet()
  const navigate = useNavigate()
  const obstacle = useObstacle(purchase.planId)
  const { phase, progress, hash } = purchase
  const { price } = getPlan(purchase.planId)

  if (phase === 'proving') return <BusyButton icon>Waiting for your signature…</BusyButton>
  if (phase === 'wallet') return <BusyButton icon>Waiting for your wallet…</BusyButton>
  if (phase === 'sent') return <BusyButton>Waiting for a block…</BusyButton>
  if (phase === 'confirming') {
    const required = progress?.required ?? 1
    const next = Math.min(required, (progress?.confirmations ?? 0) + 1)
    return <BusyButton>{`Waiting for block ${next} of ${required}…`}</BusyButton>
  }
  if (phase === 'active') {
    const openDashboard = () => {
      close()
      void navigate({ to: paths.dashboard })
    }
    return (
      <Button size="lg" variant="primary" onClick={openDashboard}>
        Open dashboard
      </Button>
    )
  }
  if (hash === null && wallet.status !== 'connected') return <Act onClick={wallet.openConnect}>Connect Wallet</Act>
  if (hash === null && !wallet.isCorrectNetwork) {
    return <Act onClick={() => void wallet.switchNetwork()}>{`Switch to ${wallet.network.name}`}</Act>
  }
  const isRetry = phase === 'rejected' || phase === 'failed'
  const words = isRetry ? 'Try again' : wallet.isProved ? `Pay ${price} ITO` : `Prove wallet and pay ${price} ITO`
  return (
    <Act disabled={hash === null && obstacle !== null} onClick={() => void pay()}>
      {words}
    </Act>
  )
}

type ActProps = { children: string; onClick: () => void; disabled?: boolean }

function Act({ children, onClick, disabled = false }: ActProps) {
  return (
    <Button size="lg" variant="primary" disabled={disabled} onClick={onClick}>
      {children}
    </Button>
  )
}

function BusyButton({ children, icon = false }: { children: string; icon?: boolean }) {
  return (
    <Button size="lg" busy>
      {icon && <Wallet aria-hidden size={16} strokeWidth={2.25} />}
      {children}
    </Button>
  )
}

/** Offers the token to the wallet's own list; a wallet that can't says nothing. */
function AddToken() {
  const { watchToken } = useWallet()
  return (
    <Button size="lg" variant="ghost" onClick={() => void watchToken().catch(() => {})}>
      Add ITO to wallet
    </Button>
  )
}
