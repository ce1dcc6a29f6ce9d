import type { Order } from '@tocsin/protocol'
import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { Transaction } from '../../ui/transaction.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { usePurchaseFlow } from './flow-context.ts'
import type { PurchasePhase } from './purchase.ts'
import { isQueued } from './subscription-time.ts'

type StepState = 'open' | 'current' | 'done' | 'stopped'

/** The current step of each phase: 0 is the wallet proof, -1 is before the first step. */
const phaseProgress: Record<PurchasePhase, { step: number; isStopped?: true }> = {
  choose: { step: -1 },
  confirm: { step: -1 },
  ordering: { step: 0 },
  proving: { step: 0 },
  approving: { step: 1 },
  approved: { step: 1 },
  collecting: { step: 2 },
  wallet: { step: 1 },
  sent: { step: 2 },
  confirming: { step: 3 },
  active: { step: 5 },
  underpaid: { step: 4, isStopped: true },
  reorganised: { step: 3 },
  reverted: { step: 3, isStopped: true },
  dropped: { step: 2, isStopped: true },
  expired: { step: 1, isStopped: true },
  cancelled: { step: 1, isStopped: true },
}

/** The steps of the purchase in order, each with a box that is ticked when it is done. */
export function PurchaseSteps() {
  const { phase, purchase, order, terms } = usePurchaseFlow()
  const { isProved } = useWallet()
  const showsProof = purchase.withProof || (!isProved && order?.transactionHash == null)
  const hasNote = purchase.note !== null && phaseProgress[phase].step < 0
  // A queued period is paid but starts only when the running one ends.
  const isWaiting = phase === 'active' && isQueued(order?.subscription?.startTime, Date.now())
  const step = phase === 'ordering' && isProved ? 1 : isWaiting ? 4 : phaseProgress[phase].step
  const currentStep = hasNote ? Number(isProved) : step
  const isStopped = hasNote || phaseProgress[phase].isStopped === true
  const getStepState = (step: number): StepState => {
    if (step < currentStep) return 'done'
    if (step > currentStep || currentStep < 0) return 'open'
    return isStopped ? 'stopped' : 'current'
  }
  return (
    <ol className="border-y border-line-1 py-4">
      {showsProof && <Step mark={getStepState(0)} label="Verify this wallet" />}
      <Step mark={getStepState(1)} label={terms?.path === 'approve' ? 'Approve in wallet' : 'Confirm in wallet'} />
      <Step mark={getStepState(2)} label="Sent to the network" aside={order && <TransactionLink order={order} />} />
      <Step
        mark={getStepState(3)}
        label="In a block"
        aside={phase === 'confirming' && order && <Confirmations order={order} />}
      />
      <Step mark={getStepState(4)} label="Active" isLast />
    </ol>
  )
}

type StepProps = { mark: StepState; label: string; aside?: ReactNode; isLast?: boolean }

function Step({ mark, label, aside, isLast = false }: StepProps) {
  return (
    <li aria-current={mark === 'current' ? 'step' : undefined} className="relative flex h-8 items-center gap-3">
      {!isLast && <span aria-hidden className="absolute top-6 left-[7.5px] h-4 w-px bg-line-2" />}
      <StepBox mark={mark} />
      <span
        className={classNames(
          'text-base',
          mark === 'open' ? 'text-2' : 'text-1',
          (mark === 'current' || mark === 'stopped') && 'font-semibold',
        )}
      >
        {label}
        <span className="sr-only">{mark === 'done' ? ', done' : mark === 'stopped' ? ', stopped' : ''}</span>
      </span>
      <span className="ml-auto">{aside}</span>
    </li>
  )
}

function StepBox({ mark }: { mark: StepState }) {
  return (
    <span
      aria-hidden
      className={classNames(
        'relative flex size-4 shrink-0 items-center justify-center rounded-control border',
        mark === 'done' && 'border-text-1 bg-text-1 text-ink-0',
        mark === 'open' && 'border-line-2',
        (mark === 'current' || mark === 'stopped') && 'border-text-1',
      )}
    >
      {mark === 'done' && <Check size={12} strokeWidth={3} />}
      {mark === 'current' && <span className="size-2 bg-text-1" />}
      {mark === 'stopped' && <Minus size={12} strokeWidth={3} />}
    </span>
  )
}

function TransactionLink({ order: { transactionHash, chainId } }: { order: Order }) {
  if (transactionHash === null) return null
  return <Transaction hash={transactionHash} chainId={chainId} />
}

function Confirmations({ order: { confirmations, required } }: { order: Order }) {
  return (
    <span className="flex items-center gap-2 text-data">
      {required <= 12 && (
        <span aria-hidden className="flex gap-0.5">
          {[...Array(required).keys()].map((block) => (
            <span
              key={block}
              className={classNames('h-2 w-4 border border-line-2', block < confirmations && 'border-text-1 bg-text-1')}
            />
          ))}
        </span>
      )}
      {confirmations}/{required}
    </span>
  )
}
