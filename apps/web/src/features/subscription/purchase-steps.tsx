import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Address } from '../../ui/address.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { Purchase, PurchasePhase } from './purchase.ts'

type Mark = 'open' | 'current' | 'done' | 'stopped'
type StepsProps = { purchase: Purchase; isProved: boolean; explorerUrl: string | null }

/** How far along each phase is: the step that is current, counted from the wallet's proof. */
const reached: Record<PurchasePhase, number> = {
  choose: -1,
  confirm: -1,
  proving: 0,
  wallet: 1,
  sent: 2,
  confirming: 3,
  active: 5,
  rejected: -1,
  failed: -1,
}

function stoppedAt(isSent: boolean, isProved: boolean): number {
  if (isSent) return 3
  return isProved ? 1 : 0
}

/** What happens, in order: a box per step, ticked when it is done. */
export function PurchaseSteps({ purchase, isProved, explorerUrl }: StepsProps) {
  const { phase, hash } = purchase
  const withProof = purchase.withProof || !isProved
  const isStopped = phase === 'rejected' || phase === 'failed'
  const current = isStopped ? stoppedAt(hash !== null, isProved) : reached[phase]
  const markOf = (step: number): Mark => {
    if (step < current) return 'done'
    if (step > current || current < 0) return 'open'
    return isStopped ? 'stopped' : 'current'
  }
  const link = hash === null ? null : <TransactionLink hash={hash} explorerUrl={explorerUrl} />
  return (
    <ol className="border-y border-line-1 py-4">
      {withProof && <Step mark={markOf(0)} label="Prove this wallet" />}
      <Step mark={markOf(1)} label="Confirm in wallet" />
      <Step mark={markOf(2)} label="Sent to the network" aside={link} />
      <Step mark={markOf(3)} label="In a block" aside={<Confirmations purchase={purchase} />} />
      <Step mark={markOf(4)} label="Active" isLast />
    </ol>
  )
}

type StepProps = { mark: Mark; label: string; aside?: ReactNode; isLast?: boolean }

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

function StepBox({ mark }: { mark: Mark }) {
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

function TransactionLink({ hash, explorerUrl }: { hash: string; explorerUrl: string | null }) {
  return <Address value={hash} copy {...(explorerUrl === null ? {} : { href: `${explorerUrl}/tx/${hash}` })} />
}

function Confirmations({ purchase: { phase, progress } }: { purchase: Purchase }) {
  if (phase !== 'confirming' || !progress) return null
  const { confirmations, required } = progress
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
