import { Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { paths } from '../../paths.ts'

/** Link to the demo's outbox. The demo does not send mail. */
export function DemoMailHint() {
  return (
    <p className="mt-6 flex items-center gap-2 text-hint text-2">
      <Inbox aria-hidden size={16} strokeWidth={2.25} className="shrink-0" />
      <Link to={paths.outbox} className="touch-target underline underline-offset-3 hover:text-1">
        Email goes to the demo’s outbox
      </Link>
    </p>
  )
}
