import { type AlertView, maxViews, type ViewFilter, viewNameLength } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { getErrorMessage } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { formatFilter } from '../alert/filter-texts.ts'
import { useViewChange } from './use-view-changes.ts'

type SaveViewDialogProps = {
  filter: ViewFilter
  views: readonly AlertView[]
  onClose: () => void
}

/**
 * Dialog that saves filters under a new name, or replaces the filters of the view with this name.
 */
export function SaveViewDialog({ filter, views, onClose }: SaveViewDialogProps) {
  const [name, setName] = useState('')
  const [isEmpty, setIsEmpty] = useState(false)
  const { mutate, isPending, error } = useViewChange(onClose)
  const wantedName = name.trim().toLowerCase()
  const existingView = views.find((view) => view.name.toLowerCase() === wantedName)
  const isFull = views.length >= maxViews
  const verb = existingView ? 'Replace' : 'Save'

  function submit(event: FormEvent) {
    event.preventDefault()
    setIsEmpty(wantedName === '')
    if (wantedName === '') return
    mutate(
      existingView ? { kind: 'replace', id: existingView.id, filter } : { kind: 'create', name: name.trim(), filter },
    )
  }

  const limit = `You have ${maxViews} views, the most an account can have. Replace one, or delete one first.`
  const failure = error
    ? getErrorMessage(error, 'The server did not respond. Nothing was saved. Please try again.')
    : undefined
  return (
    <FormDialog
      title="Save view"
      description={formatFilter(filter)}
      submitLabels={{ send: `${verb} view`, sending: existingView ? 'Replacing…' : 'Saving…' }}
      isSending={isPending}
      error={failure ?? (isFull && !existingView && wantedName !== '' ? limit : undefined)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={viewNameLength}
        autoComplete="off"
        error={isEmpty && wantedName === '' ? 'Enter a name' : undefined}
        hint={
          existingView ? `“${existingView.name}” exists. Its filters will be replaced.` : 'For example Majors, urgent'
        }
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  )
}
