import type { VerifyAlertResponse } from '@tocsin/protocol'
import { Check, Minus, X } from 'lucide-react'
import { stepNames } from '../proof/step-names.ts'

type Step = VerifyAlertResponse['steps'][number]

const order: readonly Step['id'][] = ['payload', 'signature', 'merklePath', 'root', 'transaction', 'blockTime']

const looks: Record<Step['status'] | 'waiting', { icon: typeof Check; word: string; colour: string }> = {
  passed: { icon: Check, word: 'passed', colour: 'text-seal' },
  failed: { icon: X, word: 'failed', colour: 'text-critical' },
  skipped: { icon: Minus, word: 'not run', colour: 'text-3' },
  pending: { icon: Minus, word: 'to come', colour: 'text-3' },
  unavailable: { icon: Minus, word: 'no answer', colour: 'text-3' },
  unproven: { icon: Minus, word: 'not proven', colour: 'text-3' },
  waiting: { icon: Minus, word: '', colour: 'text-3' },
}

/** The six checks with their results so far. */
export function PublicChecks({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="mx-5 grid grid-cols-2 gap-x-6 border-t border-line-1 phone:mx-4 phone:grid-cols-1">
      {order.map((id) => {
        const { icon: Icon, word, colour } = looks[steps.find((step) => step.id === id)?.status ?? 'waiting']
        return (
          <li key={id} className="flex min-h-8 items-center gap-3 border-b border-line-1 py-1 text-base">
            <Icon aria-hidden size={16} strokeWidth={2.25} className={`shrink-0 ${colour}`} />
            <span className="min-w-0 wrap-anywhere">{stepNames[id]}</span>
            <span className="ml-auto text-data whitespace-nowrap text-2">{word}</span>
          </li>
        )
      })}
    </ol>
  )
}
