import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminUser } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api.ts'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { FormDialog } from '../settings/form-dialog.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { readUserAgain } from './read-again.ts'
import { displayName } from './user-words.ts'

/** Ends somebody's access now. */
export function CancelDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const queryClient = useQueryClient()
  const [reason, setReason] = useState('')
  const cancel = useMutation({
    mutationFn: () => {
      const said = reason.trim()
      return call('cancelSubscription', { params: { id: user.id }, body: said === '' ? {} : { reason: said } })
    },
    onSuccess: async ({ message }) => {
      toast({ title: 'Subscription Cancelled', description: message, variant: 'success' })
      onClose()
      await readUserAgain(queryClient, user.id)
    },
    onError: (error) => toastRefusal('Error', error, 'Failed to cancel subscription.'),
  })

  function confirm(event: FormEvent) {
    event.preventDefault()
    if (!cancel.isPending) cancel.mutate()
  }

  return (
    <FormDialog
      title="Cancel subscription"
      description={<span className="wrap-anywhere">Cancel subscription for {displayName(user)}?</span>}
      words={{ send: 'Cancel subscription', sending: 'Cancelling…' }}
      keep="Keep it"
      variant="danger"
      isSending={cancel.isPending}
      error={undefined}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p className="text-base text-2">
        Access ends at once, and what is queued behind it is cancelled too. Nothing is paid back by itself.
      </p>
      <TextField
        label="Reason"
        aside="Optional"
        autoComplete="off"
        maxLength={500}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  )
}
