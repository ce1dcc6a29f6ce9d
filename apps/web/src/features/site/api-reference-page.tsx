import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { apiKeyLimits } from '@tocsin/protocol'
import { ChevronDown, Download } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { paths } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type ApiCall, type ApiReference, apiReferenceQuery } from './api-document.ts'
import { ApiKeyReference } from './api-key-reference.tsx'
import { formatSnippet, type Language, languages } from './call-snippets.ts'
import { formatType, listSchemaRows, type SchemaRow } from './schema-rows.ts'
import { SchemaTable } from './schema-table.tsx'
import { SitePage } from './site-page.tsx'
import { SocketReference } from './socket-reference.tsx'
import { TryIt } from './try-it.tsx'

/** API reference, generated from the running server's OpenAPI document. */
export function ApiReferencePage() {
  const router = useRouter()
  const topic = readApiTopic(useSearch({ strict: false }))
  const reference = useQuery(apiReferenceQuery)
  const tabs = useRef<HTMLDivElement>(null)
  // On phones the tabs scroll horizontally: scroll to the one selected in the URL.
  useEffect(() => {
    const currentTab = tabs.current?.querySelector<HTMLElement>(`[role="tab"][id$="${topic}"]`)
    const list = currentTab?.parentElement
    // Do not use `scrollIntoView`: it also scrolls the page, so that the first press of Tab would
    // skip the start of the page.
    if (list) list.scrollLeft = currentTab.offsetLeft - list.offsetLeft
  }, [topic])
  const selectTopic = (pickedTopic: ApiTopic) =>
    router.history.replace(`${paths.apiReference}?topic=${encodeURIComponent(pickedTopic)}`)
  return (
    <SitePage
      kind="API Reference"
      title="Every call of this server’s API"
      lead="Generated from the server’s own schemas. Programs send an API key. Calls that do not accept API keys need a session: keep the cookies from responses (here as cookies.txt or SESSION_COOKIE), and send an Origin header with writes."
    >
      <Button asChild className="mt-6">
        <a href="/openapi.json" download="openapi.json">
          <Download aria-hidden size={16} strokeWidth={2.25} />
          Download openapi.json
        </a>
      </Button>
      <noscript>
        <p className="mt-8 text-body">
          The list of calls is generated from openapi.json and needs JavaScript. The file itself does not.
        </p>
      </noscript>
      <ApiKeyReference />
      <div ref={tabs} className="mt-10">
        <Tabs
          label="Topics"
          value={topic}
          onChange={selectTopic}
          tabs={apiTopics.map((value) => ({
            value,
            label: value,
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
        title="The reference could not be loaded from the server."
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

/** The tags of the OpenAPI document, which are also the labels of the tabs. */
const apiTopics = ['Authentication', 'Users', 'Subscriptions', 'Alerts', 'WebSocket'] as const
type ApiTopic = (typeof apiTopics)[number]

/** The topic in the URL, else the first one. */
function readApiTopic(search: { topic?: unknown }): ApiTopic {
  return apiTopics.find((topic) => topic === search.topic) ?? 'Authentication'
}

const accessLabels = { public: 'Public', account: 'Signed in', admin: 'Admin' }

function describeKey({ scope, isCostly }: ApiCall): string {
  if (scope === null) return 'This call does not accept API keys.'
  const cost = isCostly ? ` It counts as ${apiKeyLimits.costlyRequests} requests of the key.` : ''
  return `Accepts an API key with the scope ${scope}: Authorization: Bearer tocsin_….${cost}`
}

/** An API call: a row that expands to parameters, response, code snippets and a form to try it. */
function ApiCallPanel({ call }: { call: ApiCall }) {
  const isTarget = window.location.hash === `#${call.id}`
  const [isOpen, setIsOpen] = useState(isTarget)
  const section = useRef<HTMLElement>(null)
  // The element is rendered after the document is loaded, too late for the browser to scroll to the
  // URL's fragment.
  useEffect(() => {
    if (isTarget) section.current?.scrollIntoView()
  }, [isTarget])
  return (
    <section ref={section} id={call.id} className="corner-ticks border border-line-1 bg-ink-1">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="focus-inset grid min-h-17 w-full grid-cols-[64px_minmax(0,1fr)_auto_auto] items-center gap-x-4 px-5 py-3 text-left phone:grid-cols-[minmax(0,1fr)_auto] phone:gap-y-1 phone:px-4"
        >
          <span className="text-data font-medium text-2 phone:col-start-1 phone:row-start-1 phone:self-start">
            {call.method}
          </span>
          <span className="min-w-0 phone:col-start-1">
            <span className="block text-data wrap-anywhere text-1">{call.path}</span>
            <span className="mt-1 block text-base text-2">{call.summary}</span>
          </span>
          <Badge plain className="phone:hidden">
            {accessLabels[call.access]}
          </Badge>
          <ChevronDown
            aria-hidden
            size={16}
            strokeWidth={2.25}
            className={classNames(
              'text-2 transition-[rotate] phone:row-span-2 phone:row-start-1',
              isOpen && 'rotate-180',
            )}
          />
        </button>
      </h2>
      {isOpen && <CallDetail call={call} />}
    </section>
  )
}

function CallDetail({ call }: { call: ApiCall }) {
  const parameters = call.parameters.map(({ name, in: location, required, schema }): SchemaRow => {
    return { name, type: formatType(schema), required, detail: location === 'path' ? 'in the path' : 'in the query' }
  })
  const response = call.response ? listSchemaRows(call.response.schema) : []
  return (
    <div className="grid gap-8 border-t border-line-1 p-5 lg:grid-cols-2 phone:p-4">
      <div className="flex min-w-0 flex-col gap-6">
        <p className="text-base text-2">{describeKey(call)}</p>
        <p className="text-base text-2">
          {`${accessLabels[call.access]}. ${call.isRecent ? 'The user must have confirmed their identity within the last ten minutes.' : ''}`}
        </p>
        {parameters.length > 0 && <Part title="Parameters">{<SchemaTable rows={parameters} />}</Part>}
        {call.body && listSchemaRows(call.body).length > 0 && (
          <Part title="Body">
            <SchemaTable rows={listSchemaRows(call.body)} />
          </Part>
        )}
        {call.response && (
          <Part title={`Response ${call.response.status}`}>
            {response.length > 0 ? (
              <SchemaTable rows={response} isResponse />
            ) : (
              <p className="text-data">{formatType(call.response.schema)}</p>
            )}
          </Part>
        )}
      </div>
      <CallExample call={call} />
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-2 text-label text-2">{title}</h3>
      {children}
    </div>
  )
}

/** Code snippets of a call, and a form that sends it from this page with this browser's session. */
function CallExample({ call }: { call: ApiCall }) {
  const [language, setLanguage] = useState<Language>('curl')
  return (
    <div className="flex min-w-0 flex-col gap-6 lg:sticky lg:top-6 lg:self-start">
      <div>
        <Segmented
          label="Language"
          value={language}
          onChange={setLanguage}
          choices={languages.map((value) => ({ value, label: value }))}
          className="mb-2"
        />
        <CodeBlock code={formatSnippet(language, window.location.origin, call)} copyLabel={`Copy ${language}`} />
      </div>
      <TryIt call={call} />
    </div>
  )
}
