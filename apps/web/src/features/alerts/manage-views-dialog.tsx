import { type AlertView, viewNameLength } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { formatFilter } from '../alert/filter-texts.ts'
import { useViewChange } from './use-view-changes.ts'

type ActiveEdit = { id: string; action: 'name' | 'delete' } | null

/** Dialog to rename and delete saved views. */
export function ManageViewsDialog({ views, onClose }: { views: readonly AlertView[]; onClose: () => void }) {
  const [editing, setEditing] = useState<ActiveEdit>(null)
  const mutation = useViewChange(() => setEditing(null))
  // After a success, the mutation stays pending until the views are refetched.
  const isBusy = editing !== null && mutation.isPending
  const edit = (next: ActiveEdit) => {
    mutation.reset()
    setEditing(next)
  }
  const formProps = { mutation, onCancel: () => edit(null) }
  return (
    <Dialog onOpenChange={onClose} title="Saved views" locked={isBusy}>
      {views.length === 0 ? (
        <p className="text-base text-2">No saved views.</p>
      ) : (
        <ul className="-my-2 divide-y divide-line-1">
          {views.map((view) => (
            <li key={view.id} className="py-3">
              {editing?.id !== view.id ? (
                <ViewRow view={view} isBusy={isBusy} onEdit={(action) => edit({ id: view.id, action })} />
              ) : editing.action === 'name' ? (
                <RenameForm view={view} {...formProps} />
              ) : (
                <DeleteForm view={view} {...formProps} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}

type ViewRowProps = { view: AlertView; isBusy: boolean; onEdit: (action: 'name' | 'delete') => void }

function ViewRow({ view, isBusy, onEdit }: ViewRowProps) {
  const { name, filter } = view
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 flex-1 basis-40">
        <span className="block text-base font-medium wrap-anywhere">{name}</span>
        <span className="block text-hint wrap-anywhere text-2">{formatFilter(filter)}</span>
      </span>
      <Button size="sm" aria-label={`Rename ${name}`} disabled={isBusy} onClick={() => onEdit('name')}>
        Rename
      </Button>
      <Button size="sm" aria-label={`Delete ${name}`} disabled={isBusy} onClick={() => onEdit('delete')}>
        Delete
      </Button>
    </div>
  )
}

const noResponseMessage = 'The server did not respond. Nothing was changed. Please try again.'

type FormProps = { view: AlertView; mutation: ReturnType<typeof useViewChange>; onCancel: () => void }

function RenameForm({ view, mutation: { mutate, isPending, error }, onCancel }: FormProps) {
  const [name, setName] = useState(view.name)
  function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() !== '') mutate({ kind: 'rename', id: view.id, name: name.trim() })
  }
  return (
    <form method="post" noValidate onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <TextField
        label={`New name of ${view.name}`}
        size="sm"
        // The user has pressed Rename, so the text field gets the focus.
        autoFocus
        maxLength={viewNameLength}
        autoComplete="off"
        value={name}
        error={name.trim() === '' ? 'Enter a name' : error ? getErrorMessage(error, noResponseMessage) : undefined}
        onChange={({ target }) => setName(target.value)}
        className="min-w-0 flex-1 basis-48"
      />
      <Button type="submit" variant="primary" busy={isPending}>
        {isPending ? 'Saving…' : 'Save'}
      </Button>
      <Button disabled={isPending} onClick={onCancel}>
        Cancel
      </Button>
    </form>
  )
}

function DeleteForm({ view, mutation: { mutate, isPending, error }, onCancel }: FormProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p className="min-w-0 flex-1 basis-40 text-base wrap-anywhere">{`Delete the view “${view.name}”?`}</p>
      <Button variant="danger" busy={isPending} autoFocus onClick={() => mutate({ kind: 'delete', id: view.id })}>
        {isPending ? 'Deleting…' : 'Delete view'}
      </Button>
      <Button disabled={isPending} onClick={onCancel}>
        Keep
      </Button>
      {error && <FieldError>{getErrorMessage(error, noResponseMessage)}</FieldError>}
    </div>
  )
}
