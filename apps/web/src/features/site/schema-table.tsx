import type { SchemaRow } from './schema-rows.ts'

/**
 * Fields of a request or response. `isResponse` hides the label "optional", which matters only for
 * requests.
 */
export function SchemaTable({ rows, isResponse = false }: { rows: readonly SchemaRow[]; isResponse?: boolean }) {
  return (
    <dl className="border-t border-line-1">
      {rows.map(({ name, type, required, detail }) => (
        <div key={name} className="grid gap-x-4 border-b border-line-1 py-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          <dt className="text-data wrap-anywhere">
            {name}
            {!isResponse && !required && <span className="text-2"> optional</span>}
          </dt>
          <dd className="text-data wrap-anywhere text-2">
            {type}
            {detail && <span className="block text-hint">{detail}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
