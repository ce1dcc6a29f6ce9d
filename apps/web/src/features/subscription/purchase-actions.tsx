import { useNavigate } from '@tanstack/react-router'
import { Wallet } from 'lucide-react'
import { useState } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { useFlow } from './flow-context.ts'
import { PasteTransaction } from './paste-transaction.tsx'
import { formatIto, type PurchasePhase } from './purchase.ts'
import { Sentence } from './purchase-sentence.tsx'
import { useIsOutOfPatience } from './use-patience.ts'

/** One sentence that says what is true now, and one button that says what comes next. */
export function PurchaseActions() {
  const { phase } = useFlow()
  const [isPasting, setIsPasting] = useState(false)
  // What the pasted one first needs does not take its form away.
  const isPreparing = isPasting && (phase === 'ordering' || phase === 'proving')
  const mayPaste = isPreparing || pastablePhases.includes(phase)
  return (
    <>
      <div aria-live="polite" className="min-h-15 pt-4 pb-1 text-base wrap-anywhere">
        <Sentence />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 pt-3">
        <MainButton />
        <SecondButton />
        {mayPaste && !isPasting && (
          <Button variant="ghost" onClick={() => setIsPasting(true)}>
            I paid: paste the transaction
          </Button>
        )}
      </div>
      {mayPaste && isPasting && <PasteTransaction onDone={() => setIsPasting(false)} />}
    </>
  )
}

const pastablePhases: readonly PurchasePhase[] = [
  'confirm',
  'wallet',
  // It may have been another one.
  'sent',
  'underpaid',
  'reorganised',
  'reverted',
  'dropped',
  'expired',
  'cancelled',
]
function MainButton() {
  const { phase, purchase, order, terms, close, orderAgain } = useFlow()
  const navigate = useNavigate()
  switch (phase) {
    case 'ordering':
      return <BusyButton>Ordering…</BusyButton>
    case 'proving':
      return <BusyButton icon>Waiting for your signature…</BusyButton>
    case 'approving':
    case 'wallet':
      return <BusyButton icon>Waiting for your wallet…</BusyButton>
    case 'approved':
    case 'sent':
      return <BusyButton>Waiting for a block…</BusyButton>
    case 'collecting':
      return <BusyButton>Waiting for the server…</BusyButton>
    case 'confirming': {
      const { confirmations = 0, required = 1 } = order ?? {}
      return <BusyButton>{`Waiting for block ${Math.min(required, confirmations + 1)} of ${required}…`}</BusyButton>
    }
    case 'reorganised':
      return <BusyButton>Waiting for the network…</BusyButton>
    case 'active': {
      const openDashboard = () => {
        close()
        void navigate({ to: paths.dashboard })
      }
      return <Act onClick={openDashboard}>Open dashboard</Act>
    }
    case 'expired':
    case 'cancelled':
      return <Act onClick={orderAgain}>Order again</Act>
    case 'underpaid':
      return <PayButton words={`Send ${formatIto(terms?.amountWei ?? 0n)} ITO more`} />
    default: {
      const isRetry = purchase.note !== null || phase === 'reverted' || phase === 'dropped'
      if (isRetry) return <PayButton words="Try again" />
      const amount = formatIto(terms?.amountWei ?? 0n)
      return <PayButton words={`Pay ${amount} ITO`} withProof={`Prove wallet and pay ${amount} ITO`} />
    }
  }
}

/** Says what stands in the way, in the order in which it is to be mended; at last it pays. */
function PayButton({ words, withProof = words }: { words: string; withProof?: string }) {
  const { obstacle, terms, pay } = useFlow()
  const { openConnect, switchNetwork, isProved } = useWallet()
  switch (obstacle?.kind) {
    case 'connect':
      return <Act onClick={openConnect}>Connect Wallet</Act>
    case 'switch':
      return <Act onClick={() => void switchNetwork(terms?.chainId)}>{`Switch to ${terms?.chainName}`}</Act>
    case 'token':
      return <Act disabled>Not enough ITO</Act>
    case 'gas':
      return <Act disabled>{`Not enough ${terms?.coin} for the fee`}</Act>
    case 'payer':
      return <Act onClick={openConnect}>Choose another account</Act>
    default:
      return (
        <Act disabled={obstacle !== null || terms === null} onClick={() => void pay()}>
          {isProved ? words : withProof}
        </Act>
      )
  }
}

function SecondButton() {
  const { phase, order, close, stopWaiting, stopWatching, chooseAnother } = useFlow()
  const isLate = useIsOutOfPatience()
  if (phase === 'active') return <AddToken />
  if (phase === 'proving' || phase === 'approving' || phase === 'approved' || phase === 'wallet') {
    return <Second onClick={stopWaiting}>Stop waiting</Second>
  }
  if (isLate || phase === 'reorganised') {
    const stop = () => {
      stopWatching()
      close()
    }
    return <Second onClick={stop}>Stop watching</Second>
  }
  if ((phase === 'confirm' && order !== null) || phase === 'underpaid') {
    return <Second onClick={() => void chooseAnother()}>Choose another plan</Second>
  }
  return <Second onClick={close}>{phase === 'confirm' ? 'Cancel' : 'Close'}</Second>
}

type ActProps = { children: string; onClick?: () => void; disabled?: boolean }

function Act({ children, onClick, disabled = false }: ActProps) {
  return (
    <Button size="lg" variant="primary" disabled={disabled} onClick={onClick}>
      {children}
    </Button>
  )
}

function Second({ children, onClick }: { children: string; onClick: () => void }) {
  return (
    <Button size="lg" variant="ghost" onClick={onClick}>
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
  const { watchToken, status } = useWallet()
  if (status !== 'connected') return null
  return <Second onClick={() => void watchToken().catch(() => {})}>Add ITO to wallet</Second>
}
