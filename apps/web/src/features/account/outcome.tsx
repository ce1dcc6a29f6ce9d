import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

const tones = { ok: 'text-ok', medium: 'text-medium', critical: 'text-critical' }

interface OutcomeProps {
  icon: LucideIcon
  tone: keyof typeof tones
  title: string
  children: ReactNode
  /** Link or button below the text, usually for the next step. Null: nothing is shown. */
  action: ReactNode
}

/**
 * The message of a page without a form: the result of a form or of an emailed link, or a question
 * before a change. It is announced to screen readers.
 */
export function Outcome({ icon: Icon, tone, title, children, action }: OutcomeProps) {
  return (
    <div role={tone === 'ok' ? 'status' : 'alert'} className="flex flex-col">
      <Icon aria-hidden size={32} strokeWidth={1.5} className={tones[tone]} />
      <h1 className="mt-4 text-h1">{title}</h1>
      <p className="mt-2 mb-6 text-body text-2">{children}</p>
      {action}
    </div>
  )
}
