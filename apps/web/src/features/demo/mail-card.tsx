import { ExternalLink } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import type { OutboxMail } from './outbox-query.ts'

/** A mail with recipient, time, its links as buttons and its text in a disclosure. */
export function MailCard({ mail }: { mail: OutboxMail }) {
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
                Open {pathOf(link)}
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

/** The path of a link, without the token in its query. */
function pathOf(link: string): string {
  return URL.canParse(link) ? new URL(link).pathname : link
}
