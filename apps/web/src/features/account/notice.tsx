import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'

const tones = {
  neutral: { rail: 'border-l-line-2', icon: 'text-2' },
  medium: { rail: 'border-l-medium', icon: 'text-medium' },
  critical: { rail: 'border-l-critical', icon: 'text-critical' },
}

interface NoticeProps {
  tone: keyof typeof tones
  icon: LucideIcon
  title: ReactNode
  children: ReactNode
  actions?: ReactNode
}

/**
 * A message that is part of the page, for example above a form. Unlike a toast, it does not
 * disappear after some time. The left border has the colour of the tone.
 */
export function Notice({ tone, icon: Icon, title, children, actions }: NoticeProps) {
  const { rail, icon } = tones[tone]
  return (
    <div className={classNames('flex gap-3 border border-l-2 border-line-1 bg-ink-1 p-4', rail)}>
      <Icon aria-hidden size={16} strokeWidth={2.25} className={classNames('mt-0.5 shrink-0', icon)} />
      <div className="min-w-0 text-base phone:text-body">
        <p className="font-semibold">{title}</p>
        <p className="wrap-anywhere text-2">{children}</p>
        {actions !== undefined && <div className="mt-2 flex gap-2">{actions}</div>}
      </div>
    </div>
  )
}
