import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { priorities, summaryMaxLength } from '@tocsin/protocol'
import { type ReactNode, useMemo } from 'react'
import { type Control, type UseFormRegisterReturn, useController, useWatch } from 'react-hook-form'
import { Checkbox } from '../../ui/checkbox.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { ghostLeaf } from '../../ui/empty-state.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { adminQueries } from './admin-queries.ts'
import { listSuggestions, type NewAlert, type NewAlertDraft } from './new-alert.ts'
import { useNextNumber } from './use-next-number.ts'

type FormControl = Control<NewAlertDraft, unknown, NewAlert>

const suggestedFields = ['asset', 'anomalyType', 'regime'] as const

/** Renders the datalists that inputs refer to with `list={`${id}-${field}`}`. */
export function ContentSuggestions({ id }: { id: string }) {
  const { data } = useInfiniteQuery(adminQueries.alerts({ search: '', priority: undefined }))
  const suggestionLists = useMemo(() => {
    const newestAlerts = data?.pages[0]?.items ?? []
    return suggestedFields.map((field) => ({ field, words: listSuggestions(field, newestAlerts) }))
  }, [data])
  return (
    <div hidden>
      {suggestionLists.map(({ field, words }) => (
        <datalist key={field} id={`${id}-${field}`}>
          {words.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
      ))}
    </div>
  )
}

type SummaryFieldProps = { control: FormControl; registration: UseFormRegisterReturn; error: string | undefined }

export function SummaryField({ control, registration, error }: SummaryFieldProps) {
  const { length } = useWatch({ control, name: 'summary' }).trim()
  const counter = `${formatCount(length)}/${formatCount(summaryMaxLength)}`
  return (
    <TextareaField
      {...registration}
      label="Summary"
      aside={<span className="text-data">{counter}</span>}
      rows={3}
      error={error}
    />
  )
}

const priorityChoices = priorities.map((value) => ({ value, label: <PriorityGlyph priority={value} word /> }))

/**
 * Shows the choices in two rows of two on screens where the longest label does not fit in a quarter
 * of the row.
 */
const gridClasses =
  'max-[374px]:grid max-[374px]:grid-cols-2 max-[374px]:[&>button:nth-of-type(3)]:border-l-0 max-[374px]:[&>button:nth-of-type(n+3)]:border-t'

export function PriorityField({ control }: { control: FormControl }) {
  const { field } = useController({ control, name: 'priority' })
  return (
    <div>
      <p aria-hidden className="mb-1 text-base font-medium touch:text-body">
        Priority
      </p>
      <Segmented
        label="Priority"
        size="lg"
        value={field.value}
        onChange={field.onChange}
        choices={priorityChoices}
        className={gridClasses}
      />
    </div>
  )
}

export function BroadcastField({ registration }: { registration: UseFormRegisterReturn }) {
  return <Checkbox {...registration} label="Broadcast immediately" detail={<Recipients />} />
}

/** Warning before an irreversible action: the server signs, logs and anchors the entry. */
export function LogNote({ children }: { children: ReactNode }) {
  const number = useNextNumber()
  return (
    <div className="flex items-center gap-4 border-t border-line-1 pt-5">
      <Seal leafHash={ghostLeaf} state="unsigned" size={36} />
      <p className="text-base text-2">
        {number === null ? (
          <>The server signs the entry, adds it to the log and anchors it. {children}</>
        ) : (
          <>
            The server signs the entry, adds it to the log as {number} and anchors it. {children}
          </>
        )}
      </p>
    </div>
  )
}

/** Shows how many clients a broadcast would reach now. Empty until the number is known. */
function Recipients() {
  const { data } = useQuery(adminQueries.recipients)
  if (!data) return null
  const { connected, entitled } = data
  const clients = formatCountOf(connected, 'connected client')
  const accounts = formatCountOf(entitled, 'account')
  return `to ${clients}; ${accounts} may read it`
}
