import type { AdminUser } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api.ts'
import { adminUsersTexts } from '../../texts/admin-users.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormDialog } from '../settings/form-dialog.tsx'
import { useUserAction } from './use-user-action.ts'
import { displayName } from './user-words.ts'

const texts = adminUsersTexts.cancelDialog

/** Ends somebody's access now. */
export function CancelDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const cancel = useUserAction({
    id: user.id,
    run: () => {
      const said = reason.trim()
      return call('cancelSubscription', { params: { id: user.id }, body: said === '' ? {} : { reason: said } })
    },
    done: texts.subscriptionCancelled,
    failed: texts.failedToCancelSubscription,
    onDone: onClose,
  })

  function confirm(event: FormEvent) {
    event.preventDefault()
    if (!cancel.isPending) cancel.mutate()
  }

  return (
    <FormDialog
      title={texts.cancelSubscription}
      description={<span className="wrap-anywhere">{texts.cancelSubscriptionFor({ user: displayName(user) })}</span>}
      words={{ send: texts.cancelSubscription, sending: texts.cancelling }}
      keep={texts.keepIt}
      variant="danger"
      isSending={cancel.isPending}
      error={undefined}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p className="text-base text-2">{texts.accessEndsAtOnce}</p>
      <TextField
        label={texts.reason}
        aside={texts.optional}
        autoComplete="off"
        maxLength={500}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  )
}
