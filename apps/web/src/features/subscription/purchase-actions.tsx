import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Wallet } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { getErrorMessage } from '../../api/api.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/now.ts'
import { TextField } from '../../ui/text-field.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { WalletError } from '../../wallet/wallet-error.ts'
import { usePurchaseFlow } from './flow-context.ts'
import { canBeToppedUp } from './order-state.ts'
import type { PurchasePhase } from './purchase.ts'
import { formatIto } from './purchase.ts'
import { PurchaseMessage } from './purchase-message.tsx'
import { RedeemButton } from './redeem-button.tsx'
import { TokenSource } from './token-source.tsx'
import { parseTransactionInput } from './transaction-input.ts'
import { useIsConfirmationSlow } from './use-slow-confirmation.ts'

/** The current state in words, and the buttons for the next action. */
export function PurchaseActions() {
  const { phase, terms } = usePurchaseFlow()
  const [isPasting, setIsPasting] = useState(false)
  // Keep the form open while the report of a pasted transaction first proves the wallet or creates
  // the order.
  const isPreparing = isPasting && (phase === 'ordering' || phase === 'proving')
  const mayPaste = isPreparing || (pastablePhases.includes(phase) && terms?.amountWei !== 0n)
  return (
    <>
      <div aria-live="polite" className="min-h-15 pt-4 pb-1 text-base wrap-anywhere">
        <PurchaseMessage />
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2 pt-3">
        <MainAction />
        <SecondaryAction />
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
  // The user may have paid with a transaction other than the one that we watch.
  'sent',
  'underpaid',
  'reorganised',
  'reverted',
  'dropped',
  'expired',
  'cancelled',
]

function MainAction() {
  const { phase, purchase, order, terms, close, orderAgain } = usePurchaseFlow()
  const navigate = useNavigate()
  const mayTopUp = useNow((nowMs) => order !== null && canBeToppedUp(order, nowMs))
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
      return <PrimaryButton onClick={openDashboard}>Open dashboard</PrimaryButton>
    }
    case 'expired':
    case 'cancelled':
      // A pending transaction may still be mined, so the dialog does not invite a second payment.
      return order?.isPending ? null : <PrimaryButton onClick={orderAgain}>Order again</PrimaryButton>
    case 'underpaid':
      return mayTopUp ? <PayButton label={`Send ${formatIto(terms?.amountWei ?? 0n)} ITO more`} /> : null
    default: {
      const isRetry = purchase.note !== null || phase === 'reverted' || phase === 'dropped'
      if (isRetry) return <PayButton label="Try again" />
      const amount = formatIto(terms?.amountWei ?? 0n)
      if (terms?.amountWei === 0n) return <RedeemButton />
      return <PayButton label={`Pay ${amount} ITO`} labelWithProof={`Verify wallet and pay ${amount} ITO`} />
    }
  }
}

/**
 * A button that resolves the current obstacle, for example by connecting the wallet. If there is no
 * obstacle, the button pays.
 */
function PayButton({ label, labelWithProof = label }: { label: string; labelWithProof?: string }) {
  const { obstacle, terms, pay } = usePurchaseFlow()
  const { openConnect, switchNetwork, isProved } = useWallet()
  switch (obstacle?.kind) {
    case 'connect':
      return <PrimaryButton onClick={openConnect}>Connect Wallet</PrimaryButton>
    case 'switch':
      return (
        <PrimaryButton
          onClick={() => void switchNetwork(terms?.chainId)}
        >{`Switch to ${terms?.chainName}`}</PrimaryButton>
      )
    case 'token':
      return <TokenSource />
    case 'gas':
      return <PrimaryButton disabled>{`Not enough ${terms?.coin} for the fee`}</PrimaryButton>
    case 'payer':
      return <PrimaryButton onClick={openConnect}>Choose another wallet account</PrimaryButton>
    default:
      return (
        <PrimaryButton disabled={obstacle !== null || terms === null} onClick={pay}>
          {isProved ? label : labelWithProof}
        </PrimaryButton>
      )
  }
}

function SecondaryAction() {
  const { phase, order, close, stopWaiting, stopWatching, chooseAnotherPlan } = usePurchaseFlow()
  const isSlow = useIsConfirmationSlow()
  if (phase === 'active') return <AddToken />
  if (phase === 'proving' || phase === 'approving' || phase === 'approved' || phase === 'wallet') {
    return <SecondaryButton onClick={stopWaiting}>Stop waiting</SecondaryButton>
  }
  if (isSlow || phase === 'reorganised') {
    const stop = () => {
      stopWatching()
      close()
    }
    return <SecondaryButton onClick={stop}>Stop watching</SecondaryButton>
  }
  if ((phase === 'confirm' && order !== null) || phase === 'underpaid') {
    return <SecondaryButton onClick={() => void chooseAnotherPlan()}>Choose another plan</SecondaryButton>
  }
  return <SecondaryButton onClick={close}>{phase === 'confirm' ? 'Cancel' : 'Close'}</SecondaryButton>
}

type PrimaryButtonProps = { children: string; onClick?: () => void; disabled?: boolean }

function PrimaryButton({ children, onClick, disabled = false }: PrimaryButtonProps) {
  return (
    <Button size="lg" variant="primary" disabled={disabled} onClick={onClick}>
      {children}
    </Button>
  )
}

function SecondaryButton({ children, onClick }: { children: string; onClick: () => void }) {
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

/** Adds the token to the wallet's token list. Fails silently if the wallet does not support it. */
function AddToken() {
  const { watchToken, status } = useWallet()
  if (status !== 'connected') return null
  return <SecondaryButton onClick={() => void watchToken().catch(() => {})}>Add ITO to wallet</SecondaryButton>
}

/**
 * Form to report a transaction hash, for users who paid outside this page or whose wallet did not
 * return the hash. The server verifies the amount on chain.
 */
function PasteTransaction({ onDone }: { onDone: () => void }) {
  const { reportHash } = usePurchaseFlow()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const report = useMutation({ mutationFn: reportHash, onSuccess: onDone })

  function submit(event: FormEvent) {
    event.preventDefault()
    const parsed = parseTransactionInput(text)
    if ('problem' in parsed) return setProblem(parsed.problem)
    setProblem(undefined)
    if (!report.isPending) report.mutate(parsed.hash)
  }

  return (
    <form noValidate onSubmit={submit} className="mt-3 grid gap-3 border-t border-line-1 pt-4">
      <TextField
        mono
        label="Transaction"
        hint="The hash (0x and 64 hexadecimal digits) or a block explorer link. The payment must come from your wallet."
        error={problem ?? (report.error === null ? undefined : formatErrorMessage(report.error))}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setText(target.value)
          setProblem(undefined)
          report.reset()
        }}
      />
      <div className="grid grid-cols-2 gap-2">
        <Button variant="ghost" onClick={onDone}>
          Back
        </Button>
        <Button type="submit" busy={report.isPending}>
          {report.isPending ? 'Checking…' : 'Check transaction'}
        </Button>
      </div>
    </form>
  )
}

function formatErrorMessage(error: Error): string {
  return error instanceof WalletError ? error.message : getErrorMessage(error, 'Failed to create subscription')
}
