import type { ReceiptCheckId, ReceiptVerification } from '@tocsin/proof'
import { Check, CircleHelp, Minus, X } from 'lucide-react'

const titles: Record<ReceiptCheckId, string> = {
  content: 'Content',
  signature: 'Signature',
  payment: 'Payment',
}
const words = {
  verified: { text: 'Verified', tone: 'text-seal' },
  failed: { text: 'Failed', tone: 'text-critical' },
  unavailable: { text: 'Cannot check now', tone: 'text-1' },
} as const
const icons = {
  passed: Check,
  failed: X,
  skipped: Minus,
  pending: CircleHelp,
  unavailable: CircleHelp,
  unproven: CircleHelp,
} as const
const tones = {
  passed: 'text-seal',
  failed: 'text-critical',
  skipped: 'text-2',
  pending: 'text-2',
  unavailable: 'text-2',
  unproven: 'text-2',
}

/** The three checks of a receipt and the verdict. */
export function ReceiptVerdict({ verification: { verdict, checks } }: { verification: ReceiptVerification }) {
  const { text, tone } = words[verdict]
  return (
    <>
      <h3 className={`text-h2 ${tone}`}>{text}</h3>
      <ol className="mt-3 divide-y divide-line-1 border-y border-line-1">
        {checks.map(({ id, status, reason }) => {
          const Icon = icons[status]
          return (
            <li key={id} className="flex gap-3 py-2.5">
              <Icon aria-hidden size={16} strokeWidth={2.25} className={`mt-0.5 shrink-0 ${tones[status]}`} />
              <p className="min-w-0 text-base wrap-anywhere">
                <span className="font-medium">{titles[id]}</span>
                <span className="text-2">: {reason}</span>
              </p>
            </li>
          )
        })}
      </ol>
    </>
  )
}
