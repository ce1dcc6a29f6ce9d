import type { AdminUser } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useUserAction } from './use-user-action.ts'
import { getDisplayName } from './user-texts.ts'

/** Ends a subscription immediately. */
export function CancelDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const cancel = useUserAction({
    id: user.id,
    run: () => {
      const trimmedReason = reason.trim()
      return call('cancelSubscription', {
        params: { id: user.id },
        body: trimmedReason === '' ? {} : { reason: trimmedReason },
      })
    },
    done: 'Subscription Cancelled',
    failed: 'Failed to cancel subscription.',
    onDone: onClose,
  })

  function confirm(event: FormEvent) {
    event.preventDefault()
    if (!cancel.isPending) cancel.mutate()
  }

  return (
    <FormDialog
      title="Cancel subscription"
      description={<span className="wrap-anywhere">Cancel subscription for {getDisplayName(user)}?</span>}
      submitLabels={{ send: 'Cancel subscription', sending: 'Cancelling…' }}
      cancelLabel="Keep subscription"
      variant="danger"
      isSending={cancel.isPending}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p className="text-base text-2">
        Access ends immediately, and queued plans are cancelled too. No payment is refunded.
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
