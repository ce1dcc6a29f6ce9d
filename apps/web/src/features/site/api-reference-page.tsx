import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ApiCallPanel } from './api-call-panel.tsx'
import { type ApiReference, apiReferenceQuery } from './api-document.ts'
import { type ApiTopic, apiTopics, readApiTopic, topicLabels } from './api-topic.ts'
import { SitePage } from './site-page.tsx'
import { SocketReference } from './socket-reference.tsx'

/** API reference, generated from the running server's OpenAPI document. */
export function ApiReferencePage() {
  const router = useRouter()
  const topic = readApiTopic(useSearch({ strict: false }))
  const reference = useQuery(apiReferenceQuery)
  const tabs = useRef<HTMLDivElement>(null)
  // On phones the tabs scroll horizontally: scroll to the one selected in the URL.
  useEffect(() => {
    const current = tabs.current?.querySelector(`[role="tab"][id$="${topic}"]`)
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [topic])
  const pick = (picked: ApiTopic) => router.history.replace(`${paths.apiReference}?topic=${encodeURIComponent(picked)}`)
  return (
    <SitePage
      kind="API Reference"
      title="Every call, as this server takes it"
      lead="Made from the server’s own schemas. Programs sign in as people do, keep the cookies that answers bring (here as cookies.txt or SESSION_COOKIE), and name their origin when they write."
    >
      <Button asChild className="mt-6">
        <a href="/openapi.json" download="openapi.json">
          <Download aria-hidden size={16} strokeWidth={2.25} />
          Download openapi.json
        </a>
      </Button>
      <noscript>
        <p className="mt-8 text-body">
          The calls are drawn from openapi.json, which needs JavaScript. The file itself does not.
        </p>
      </noscript>
      <div ref={tabs} className="mt-10">
        <Tabs
          label="Topics"
          value={topic}
          onChange={pick}
          tabs={apiTopics.map((value) => ({
            value,
            label: topicLabels[value],
            panel: (
              <Topic topic={value} reference={reference.data} isError={reference.isError} retry={reference.refetch} />
            ),
          }))}
          // Full width on phones, so that a cut-off tab indicates that there are more.
          listClassName="phone:-mx-4 phone:scroll-px-4 phone:gap-5 phone:px-4 max-[374px]:gap-4!"
          panelClassName="pt-6"
        />
      </div>
    </SitePage>
  )
}

interface TopicProps {
  topic: ApiTopic
  reference: ApiReference | undefined
  isError: boolean
  retry: () => unknown
}

function Topic({ topic, reference, isError, retry }: TopicProps) {
  if (isError) {
    return (
      <EmptyState
        title="The reference could not be read from the server."
        action={<Button onClick={() => void retry()}>Try again</Button>}
      />
    )
  }
  if (!reference) return <PendingCalls />
  if (topic === 'WebSocket') return <SocketReference socket={reference.socket} />
  return (
    <ul className="flex flex-col gap-4">
      {(reference.callsByTopic[topic] ?? []).map((call) => (
        <li key={call.id}>
          <ApiCallPanel call={call} />
        </li>
      ))}
    </ul>
  )
}

function PendingCalls() {
  return (
    <div className="flex animate-late flex-col gap-4">
      {[1, 2, 3, 4, 5].map((row) => (
        <Skeleton key={row} className="h-17 w-full" />
      ))}
    </div>
  )
}
