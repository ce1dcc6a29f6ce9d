import { CircleAlert } from 'lucide-react'
import { alertsTexts } from '../../texts/alerts.tsx'
import { Button } from '../../ui/button.tsx'

const texts = alertsTexts.readFailure

/** Stands where something should have been read, and offers to read it again. */
export function ReadFailure({ children, onRetry }: { children: string; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 px-5 py-4 text-base phone:px-4">
      <CircleAlert aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-critical" />
      <span className="flex-1">{children}</span>
      <Button size="sm" onClick={onRetry}>
        {texts.tryAgain}
      </Button>
    </div>
  )
}
