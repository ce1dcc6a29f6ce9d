import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { TextField } from '../../ui/text-field.tsx'
import { adminQueries } from './admin-queries.ts'
import { AlertPreview } from './alert-preview.tsx'

const typedWord = 'CRITICAL'

interface BroadcastDialogProps {
  /** Such as "Broadcast #18,499". */
  title: string
  /** Shown when the alert was broadcast before. */
  description?: ReactNode
  alert: Parameters<typeof AlertPreview>[0]['alert']
  words: { send: string; sending: string }
  isSending: boolean
  onConfirm: () => void
  onClose: () => void
}

/**
 * Confirms a broadcast and shows how many clients it reaches. Critical alerts require a typed word,
 * because they may wake people.
 */
export function BroadcastDialog(props: BroadcastDialogProps) {
  const { title, description, alert, words, isSending, onConfirm, onClose } = props
  const isCritical = alert.priority === 'critical'
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string>()
  const isConfirmed = !isCritical || typed.trim().toUpperCase() === typedWord

  function confirm(event: FormEvent) {
    event.preventDefault()
    if (!isConfirmed) return setError(`Type ${typedWord} to send it`)
    if (!isSending) onConfirm()
  }

  return (
    <FormDialog
      title={title}
      description={description || 'It is sent immediately. It can be corrected or retracted later, but not recalled.'}
      words={words}
      variant={!isConfirmed ? 'secondary' : isCritical ? 'danger' : 'primary'}
      isSending={isSending}
      error={undefined}
      onSubmit={confirm}
      onClose={onClose}
    >
      <AlertPreview alert={alert} />
      <Reach />
      {isCritical && (
        <TextField
          label={`Type ${typedWord} to confirm`}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
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

/** The number of recipients. Space is reserved while they load. */
function Reach() {
  const { data, isError } = useQuery(adminQueries.recipients)
  const figures = [
    { label: 'Connected clients', value: data?.connected },
    { label: 'May read it', value: data?.entitled },
  ]
  return (
    <dl className="grid grid-cols-2 border border-line-1">
      {figures.map(({ label, value }) => (
        <div key={label} className="border-l border-line-1 px-4 py-3 first:border-l-0">
          <dt className="text-label text-2">{label}</dt>
          <dd className="mt-1 min-h-7 text-number-sm">
            {value?.toLocaleString(numberLocale) ?? (isError ? 'Unknown' : '…')}
          </dd>
        </div>
      ))}
    </dl>
  )
}
