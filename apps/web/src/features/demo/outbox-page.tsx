import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { outboxMail } from '@tocsin/protocol'
import { ArrowLeft, ExternalLink } from 'lucide-react'
import { z } from 'zod'
import { ApiError } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Mark } from '../../ui/identity/logo.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { NotFoundPage } from '../site/not-found-page.tsx'

/** Shows the emails that the demo stores instead of sending them. */
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
  // After a failed refresh, keep showing the loaded emails.
  if (isError && !mails) return <Unreachable onRetry={refetch} />
  if (mails.length === 0) {
    return (
      <Panel flush>
        <EmptyState title="No email yet">Emails appear here when you sign up or request a new password.</EmptyState>
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

/** Card of an email: recipient, time, a button for each link, and the text in a disclosure. */
function MailCard({ mail }: { mail: OutboxMail }) {
  return (
    <Panel>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-lead font-semibold wrap-anywhere">{mail.subject}</h2>
        <span className="flex gap-2 text-hint text-2">
          <Time at={mail.at} className="text-data" />
          <Time at={mail.at} show="relative" />
        </span>
      </div>
      <p className="text-base wrap-anywhere text-2">To {mail.to}</p>
      {mail.links.length > 0 && (
        <div className="mt-4 flex flex-wrap gap-2">
          {mail.links.map((link) => (
            <Button key={link} asChild>
              <a href={link}>
                <ExternalLink aria-hidden size={16} strokeWidth={2.25} />
                Open {parsePath(link)}
              </a>
            </Button>
          ))}
        </div>
      )}
      <details className="mt-4">
        <summary className="w-fit cursor-pointer text-base leading-6 text-2 hover:text-1 touch:leading-11">
          Show text
        </summary>
        <p className="mt-2 border-l border-line-2 pl-4 text-base wrap-anywhere whitespace-pre-wrap">{mail.text}</p>
      </details>
    </Panel>
  )
}

/** Returns the path of a link without its query, which contains the token. */
function parsePath(link: string): string {
  return URL.canParse(link) ? new URL(link).pathname : link
}

type OutboxMail = z.infer<typeof outboxMail>

const refreshMs = 2000

/** The emails of the demo's outbox, newest first. The endpoint is not part of the API. */
const outboxQuery = queryOptions({
  queryKey: ['/dev/outbox.json'],
  queryFn: async ({ signal }) => {
    const response = await fetch('/dev/outbox.json', { signal })
    const body = await response.text()
    if (!response.ok) throw new ApiError(response.status, body, response.statusText)
    return z.array(outboxMail).parse(JSON.parse(body))
  },
  refetchInterval: refreshMs,
})
