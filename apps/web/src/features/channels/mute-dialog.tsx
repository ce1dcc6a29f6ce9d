import { HOUR_MS } from '@tocsin/protocol/durations'
import { type FormEvent, useState } from 'react'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextField } from '../../ui/text-field.tsx'

type MuteLength = '1' | '8' | 'date'

interface MuteDialogProps {
  /** Title of the dialog, for example "Mute all destinations" or "Mute Night desk". */
  title: string
  isSending: boolean
  /** @param until ISO time at which the mute ends; a mute always has an end */
  onMute: (until: string) => void
  onClose: () => void
}

/** Asks how long to mute: 1 hour, 8 hours, or until a time that the user enters. */
export function MuteDialog({ title, isSending, onMute, onClose }: MuteDialogProps) {
  const [length, setLength] = useState<MuteLength>('8')
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const until = length === 'date' ? Date.parse(text) : Date.now() + Number(length) * HOUR_MS
    const isFuture = until > Date.now()
    setError(isFuture ? undefined : 'Please choose a time in the future')
    if (isFuture) onMute(new Date(until).toISOString())
  }
  return (
    <FormDialog
      title={title}
      description="Alerts are held back and arrive as one digest when the mute ends."
      submitLabels={{ send: 'Mute', sending: 'Muting…' }}
      isSending={isSending}
      error={length === 'date' ? undefined : error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Segmented<MuteLength>
        label="For how long"
        size="lg"
        value={length}
        onChange={setLength}
        choices={[
          { value: '1', label: '1 h' },
          { value: '8', label: '8 h' },
          { value: 'date', label: 'Until a date' },
        ]}
      />
      {length === 'date' && (
        <TextField
          id="mute-until"
          label="Until"
          hint="In the time zone of this device."
          type="datetime-local"
          value={text}
          error={error}
          onChange={({ target }) => setText(target.value)}
        />
      )}
    </FormDialog>
  )
}
