import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import type { OwnSecurityEvent } from '@tocsin/protocol'
import { Download } from 'lucide-react'
import { call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { formatNewestFirst } from '../../ui/format-newest-first.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Time } from '../../ui/time.tsx'
import { formatActivityKind } from '../account/security-texts.ts'
import { toastFailure } from '../account/toast-failure.ts'
import { QueryContent } from './query-content.tsx'
import { securityLogQuery } from './security-log-query.ts'

/**
 * Lists sign-ins, failed attempts and changes of the sign-in methods. The entries can't be edited.
 */
export function SecurityLogSection() {
  const query = useInfiniteQuery(securityLogQuery)
  const count = query.data?.pages.flatMap(({ items }) => items).length ?? 0
  return (
    <Panel
      title="Security log"
      flush
      actions={<DownloadButton />}
      footer={
        count === 0 ? undefined : <LoadMore query={query}>{formatNewestFirst(query.hasNextPage, count)}</LoadMore>
      }
    >
      <QueryContent query={query} what="your security log" rows={4}>
        {({ pages }) => (
          <ul className="divide-y divide-line-1">
            {pages
              .flatMap(({ items }) => items)
              .map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
          </ul>
        )}
      </QueryContent>
    </Panel>
  )
}

function EventRow({ event: { at, category, kind, detail, network } }: { event: OwnSecurityEvent }) {
  const isBad = category === 'alarm' || kind.endsWith('_failed')
  const facts = [detail, network].filter(Boolean).join(' · ')
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-5 py-2.5 text-base phone:px-4">
      <span className={isBad ? 'font-semibold text-critical' : 'font-medium'}>{formatActivityKind(kind)}</span>
      <Time at={at} className="text-data text-2" />
      {facts !== '' && <span className="col-span-2 wrap-anywhere text-2">{facts}</span>}
    </li>
  )
}

function DownloadButton() {
  const withReauthentication = useReauthentication()
  const download = useMutation({
    mutationFn: () => withReauthentication(() => call('exportOwnSecurityEvents')),
    onSuccess: (text) => saveFile('tocsin-security-log.jsonl', text, 'application/jsonl'),
    onError: (error) => toastFailure(error, 'The security log could not be exported. Please try again.'),
  })
  return (
    <Button
      size="sm"
      busy={download.isPending}
      aria-label="Download the security log"
      title="All entries as JSON lines"
      onClick={() => download.mutate()}
    >
      <Download aria-hidden size={16} strokeWidth={2.25} />
      {download.isPending ? 'Preparing…' : 'Download'}
    </Button>
  )
}
