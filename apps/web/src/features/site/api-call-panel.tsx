import { ChevronDown } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { ApiCall } from './api-document.ts'
import { CallExample } from './call-example.tsx'
import { listSchemaRows, nameType, type SchemaRow } from './schema-rows.ts'
import { SchemaTable } from './schema-table.tsx'

const accessLabels = { public: 'Public', account: 'Signed in', admin: 'Admin' }

/** An API call: a row that expands to parameters, response, code snippets and a form to try it. */
export function ApiCallPanel({ call }: { call: ApiCall }) {
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
  const parameters = call.parameters.map(({ name, in: place, required, schema }): SchemaRow => {
    return { name, type: nameType(schema), required, detail: place === 'path' ? 'in the path' : 'in the query' }
  })
  const answer = call.answer ? listSchemaRows(call.answer.schema) : []
  return (
    <div className="grid gap-8 border-t border-line-1 p-5 lg:grid-cols-2 phone:p-4">
      <div className="flex min-w-0 flex-col gap-6">
        <p className="text-base text-2">
          {`${accessLabels[call.access]}. ${call.isRecent ? 'The person must have confirmed within the last ten minutes that the session is theirs.' : ''}`}
        </p>
        {parameters.length > 0 && <Part title="Parameters">{<SchemaTable rows={parameters} />}</Part>}
        {call.body && listSchemaRows(call.body).length > 0 && (
          <Part title="Body">
            <SchemaTable rows={listSchemaRows(call.body)} />
          </Part>
        )}
        {call.answer && (
          <Part title={`Answer ${call.answer.status}`}>
            {answer.length > 0 ? (
              <SchemaTable rows={answer} isAnswer />
            ) : (
              <p className="text-data">{nameType(call.answer.schema)}</p>
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
