import { useState } from 'react'
import { createErrorReport } from '../api/error-report.ts'
import { paths } from '../paths.ts'
import { Button } from '../ui/button.tsx'
import { Mark } from '../ui/identity/logo.tsx'
import { useCopied } from '../ui/use-copied.ts'

export interface ErrorScreenProps {
  error: unknown
  /** Renders the failed part again; null if only a reload of the page can help. */
  onRetry: (() => void) | null
}

/**
 * Error screen that replaces a failed page or dialog. Shows a description, the possible actions and
 * the report id.
 */
export function ErrorScreen({ error, onRetry }: ErrorScreenProps) {
  const [report] = useState(() => createErrorReport(error))
  const { feedback, copy } = useCopied()
  const reload = () => location.reload()
  return (
    <main className="grid min-h-[70dvh] place-content-center justify-items-center gap-6 p-6 text-center">
      <Mark size={32} />
      <div role="alert" className="grid max-w-100 gap-2">
        <h1 className="text-h2">This page stopped working</h1>
        <p className="text-body text-2">
          An error prevented it from being shown. Your session, your plan and your payments are not affected. If the
          error happens again, send us the report.
        </p>
      </div>
      <div className="flex flex-wrap justify-center gap-3">
        {onRetry !== null && (
          <Button size="lg" variant="primary" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button size="lg" variant={onRetry === null ? 'primary' : 'secondary'} onClick={reload}>
          Reload
        </Button>
        <Button asChild size="lg" variant="ghost">
          <a href={paths.contactSupport}>Contact Support</a>
        </Button>
      </div>
      <p className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2 text-hint text-2">
        <span>
          Report <span className="text-data text-1">{report.id}</span>
        </span>
        <Button size="sm" onClick={() => void copy(report.text)}>
          {feedback ?? 'Copy report'}
        </Button>
      </p>
    </main>
  )
}
