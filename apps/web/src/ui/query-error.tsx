import { CircleAlert } from 'lucide-react'
import { Button } from './button.tsx'

/** Error message with a retry button. */
export function QueryError({ children, onRetry }: { children: string; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 px-5 py-4 text-base phone:px-4">
      <CircleAlert aria-hidden size={16} strokeWidth={2.25} className="shrink-0 text-critical" />
      <span className="flex-1">{children}</span>
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
