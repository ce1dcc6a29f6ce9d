import type { Destination } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDestinationChange } from './use-destination-change.ts'

interface DestinationDialogProps {
  destination: Destination
  onClose: () => void
}

export function RenameDialog({ destination: { id, name }, onClose }: DestinationDialogProps) {
  const { register, handleSubmit, formState, getValues } = useForm({ defaultValues: { name } })
  const rename = useDestinationChange(
    () => call('changeDestination', { params: { id }, body: { name: getValues('name').trim() } }),
    onClose,
  )
  return (
    <FormDialog
      title={`Rename ${name}`}
      description="The name is shown only to you."
      submitLabels={{ send: 'Rename', sending: 'Renaming…' }}
      isSending={rename.isPending}
      onSubmit={handleSubmit(() => rename.mutate())}
      onClose={onClose}
    >
      <TextField
        {...register('name', { validate: (value) => value.trim() !== '' || 'Please enter a name' })}
        id="channel-new-name"
        label="Name"
        autoComplete="off"
        maxLength={60}
        error={formState.errors.name?.message}
      />
    </FormDialog>
  )
}

export function DeleteDialog({ destination: { id, name }, onClose }: DestinationDialogProps) {
  const remove = useDestinationChange(
    () => call('deleteDestination', { params: { id } }),
    ({ message }) => {
      toast({ title: 'Destination Deleted', description: message, variant: 'success' })
      onClose()
    },
  )
  return (
    <FormDialog
      title={`Delete ${name}`}
      description="No more messages are sent to this destination, and its delivery history is deleted. This can’t be undone."
      submitLabels={{ send: 'Delete', sending: 'Deleting…' }}
      cancelLabel="Keep it"
      variant="danger"
      isSending={remove.isPending}
      onSubmit={(event) => {
        event.preventDefault()
        remove.mutate()
      }}
      onClose={onClose}
    >
      <p className="text-base text-2">To stop messages for a while, pause the destination instead.</p>
    </FormDialog>
  )
}

export function SecretDialog({ destination: { id, name }, onClose }: DestinationDialogProps) {
  const [newSecret, setNewSecret] = useState<{ secret: string; previousUntil: string } | null>(null)
  const rotate = useDestinationChange(() => call('rotateDestinationSecret', { params: { id } }), setNewSecret)
  return (
    <Dialog
      onOpenChange={onClose}
      locked={newSecret !== null || rotate.isPending}
      title={`Rotate the secret of ${name}`}
      description={
        newSecret ? (
          <>
            Copy the new secret now: it is not shown again. Until <Time at={newSecret.previousUntil} mono={false} />{' '}
            messages are also signed with the previous secret.
          </>
        ) : (
          'For 24 hours, messages are signed with the old and the new secret, so that you can update your program without a gap.'
        )
      }
      footer={
        newSecret ? (
          <Button size="lg" variant="primary" onClick={onClose}>
            I have saved it
          </Button>
        ) : (
          <>
            <Button size="lg" variant="ghost" disabled={rotate.isPending} onClick={onClose}>
              Cancel
            </Button>
            <Button size="lg" variant="primary" busy={rotate.isPending} onClick={() => rotate.mutate()}>
              {rotate.isPending ? 'Rotating…' : 'Rotate'}
            </Button>
          </>
        )
      }
    >
      {newSecret ? (
        <CodeBlock code={newSecret.secret} copyLabel="Copy secret" />
      ) : (
        <p className="text-base text-2">The secret verifies that a message comes from this site.</p>
      )}
    </Dialog>
  )
}
