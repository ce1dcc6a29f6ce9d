import { useQuery } from '@tanstack/react-query'
import type { Priority } from '@tocsin/protocol'
import { type FormEvent, type ReactNode, useState } from 'react'
import { formatCount } from '../../ui/count.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { TextField } from '../../ui/text-field.tsx'
import { formatConfidence } from '../alert/alert-texts.ts'
import { adminQueries } from './admin-queries.ts'

const requiredWord = 'CRITICAL'

interface BroadcastDialogProps {
  /** For example "Broadcast #18,499". */
  title: string
  /** Replaces the default description, for example if the alert was broadcast before. */
  description?: ReactNode
  alert: Parameters<typeof AlertPreview>[0]['alert']
  submitLabels: { send: string; sending: string }
  isSending: boolean
  onConfirm: () => void
  onClose: () => void
}

/**
 * Asks for confirmation of a broadcast and shows how many clients it reaches. For critical alerts
 * the admin has to type a word, because these alerts may wake people.
 */
export function BroadcastDialog(props: BroadcastDialogProps) {
  const { title, description, alert, submitLabels, isSending, onConfirm, onClose } = props
  const isCritical = alert.priority === 'critical'
  const [typedText, setTypedText] = useState('')
  const [error, setError] = useState<string>()
  const isConfirmed = !isCritical || typedText.trim().toUpperCase() === requiredWord

  function confirm(event: FormEvent) {
    event.preventDefault()
    if (!isConfirmed) return setError(`Type ${requiredWord} to send it`)
    if (!isSending) onConfirm()
  }

  return (
    <FormDialog
      title={title}
      description={
        description || 'The alert is sent immediately and cannot be recalled. You can only correct or retract it later.'
      }
      submitLabels={submitLabels}
      variant={!isConfirmed ? 'secondary' : isCritical ? 'danger' : 'primary'}
      isSending={isSending}
      onSubmit={confirm}
      onClose={onClose}
    >
      <AlertPreview alert={alert} />
      <RecipientFigures />
      {isCritical && (
        <TextField
          label={`Type ${requiredWord} to confirm`}
          value={typedText}
          onChange={({ target }) => setTypedText(target.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          mono
          error={error}
        />
      )}
    </FormDialog>
  )
}

/** Shows the number of recipients. Reserves space while the number loads. */
function RecipientFigures() {
  const { data, isError } = useQuery(adminQueries.recipients)
  const figures = [
    { label: 'Connected clients', value: data?.connected },
    { label: 'May read the alert', value: data?.entitled },
  ]
  return (
    <dl className="grid grid-cols-2 border border-line-1">
      {figures.map(({ label, value }) => (
        <div key={label} className="border-l border-line-1 px-4 py-3 first:border-l-0">
          <dt className="text-label text-2">{label}</dt>
          <dd className="mt-1 min-h-7 text-number-sm">
            {value === undefined ? (isError ? 'Unknown' : '…') : formatCount(value)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface AlertPreviewProps {
  alert: { asset: string; anomalyType: string; priority: Priority; confidence: number; summary: string }
}

/** Preview of an alert as users see it. */
function AlertPreview({ alert: { asset, anomalyType, priority, confidence, summary } }: AlertPreviewProps) {
  return (
    <section aria-label="Preview" className="border border-line-1 bg-ink-0 p-4">
      <h3 className="text-label text-2">Preview</h3>
      <p className="mt-2 flex flex-wrap items-center gap-x-2 text-base">
        <PriorityGlyph priority={priority} word />
        <span className="font-semibold wrap-anywhere">{asset}</span>
        <span className="text-2 wrap-anywhere">{anomalyType}</span>
        <span className="ml-auto text-data">{formatConfidence(confidence)}</span>
      </p>
      <p dir="auto" className="mt-1 text-base wrap-anywhere">
        {addNoBreakSpaces(summary)}
      </p>
    </section>
  )
}
