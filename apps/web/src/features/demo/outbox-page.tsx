import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Mark } from '../../ui/identity/logo.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { NotFoundPage } from '../site/not-found-page.tsx'
import { MailCard } from './mail-card.tsx'
import { outboxQuery } from './outbox-query.ts'

/** Shows the mails that the demo stores instead of sending. Demo only. */
export function OutboxPage() {
  const { data: config, isPending, isError, refetch } = useQuery(queries.config)
  if (config && !config.demo) return <NotFoundPage />
  return (
    <div className="mx-auto w-full max-w-200 px-6 phone:px-4">
      <header className="flex h-18 items-center justify-between phone:h-14">
        <Link to={paths.home} className="touch-target flex items-center gap-3 text-body font-semibold">
          <Mark size={28} />
          Tocsin
        </Link>
        <Link
          to={paths.auth}
          className="touch-target flex items-center gap-2 text-base font-medium text-2 transition-[color] hover:text-1"
        >
          <ArrowLeft aria-hidden size={16} strokeWidth={2.25} />
          Back to login
        </Link>
      </header>
      <main className="pt-6 pb-24">
        <h1 className="text-h1">Outbox</h1>
        <p className="mt-1 mb-6 text-body text-2">In the demo no email leaves this machine. Newest first.</p>
        {isPending && <LoadingMails />}
        {isError && <Unreachable onRetry={refetch} />}
        {config && <Mails />}
      </main>
    </div>
  )
}

function Mails() {
  const { data: mails, isPending, isError, refetch } = useQuery(outboxQuery)
  if (isPending) return <LoadingMails />
  // After a failed refresh, keep showing the loaded mails.
  if (isError && !mails) return <Unreachable onRetry={refetch} />
  if (mails.length === 0) {
    return (
      <Panel flush>
        <EmptyState title="No email yet">
          Sign up or ask for a new password, and the email appears here by itself.
        </EmptyState>
      </Panel>
    )
  }
  return (
    <ul className="flex flex-col gap-4">
      {mails.map((mail) => (
        <li key={mail.id} className="animate-row">
          <MailCard mail={mail} />
        </li>
      ))}
    </ul>
  )
}

function LoadingMails() {
  return (
    <Panel flush>
      <SkeletonRows label="Loading emails" />
    </Panel>
  )
}

function Unreachable({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 text-base">
      The outbox can’t be reached.
      <Button onClick={() => onRetry()}>Try again</Button>
    </div>
  )
}
