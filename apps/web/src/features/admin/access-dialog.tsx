import { zodResolver } from '@hookform/resolvers/zod'
import type { AdminUser } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { call } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { reasonField } from './resolve-form.ts'
import { useUserAction } from './use-user-action.ts'
import { getDisplayName } from './user-texts.ts'

export type AccessChange = 'suspend' | 'unsuspend' | 'reset-factors'

type ReasonForm = { reason: string }

interface AccessAction {
  title: string
  description: string
  send: string
  sending: string
  done: string
  failed: string
  run: (id: string, body: ReasonForm) => Promise<{ message: string }>
}

const accessActions: Record<AccessChange, AccessAction> = {
  suspend: {
    title: 'Suspend',
    description: 'Ends all sessions and blocks sign-in. The subscription keeps running.',
    send: 'Suspend',
    sending: 'Suspending…',
    done: 'User Suspended',
    failed: 'Failed to suspend the user. Please try again.',
    run: (id, body) => call('suspendUser', { params: { id }, body }),
  },
  unsuspend: {
    title: 'Unsuspend',
    description: 'The account can sign in again.',
    send: 'Unsuspend',
    sending: 'Unsuspending…',
    done: 'User Unsuspended',
    failed: 'Failed to unsuspend the user. Please try again.',
    run: (id, body) => call('unsuspendUser', { params: { id }, body }),
  },
  'reset-factors': {
    title: 'Reset second factors',
    description:
      'For a user who has lost all second factors. The second factors are removed 24 hours after the warning was sent. Every email address of the account gets a link that cancels the reset.',
    send: 'Reset',
    sending: 'Requesting…',
    done: 'Reset Requested',
    failed: 'Failed to request the reset. Please try again.',
    run: (id, body) => call('requestFactorReset', { params: { id }, body }),
  },
}

const reasonForm = z.object({ reason: reasonField })

type AccessDialogProps = { user: AdminUser; change: AccessChange; onClose: () => void }

/**
 * Suspends or unsuspends an account, or resets its second factors, with a reason for the audit log.
 */
export function AccessDialog({ user, change, onClose }: AccessDialogProps) {
  const { title, description, send, sending, done, failed, run } = accessActions[change]
  const { register, handleSubmit, formState } = useForm<ReasonForm>({
    resolver: zodResolver(reasonForm),
    defaultValues: { reason: '' },
  })
  const { mutate, isPending } = useUserAction<ReasonForm>({
    id: user.id,
    run: (body) => run(user.id, body),
    done,
    failed,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={title}
      description={
        <span className="wrap-anywhere">
          {getDisplayName(user)}. {description}
        </span>
      }
      submitLabels={{ send, sending }}
      variant={change === 'unsuspend' ? 'primary' : 'danger'}
      isSending={isPending}
      onSubmit={handleSubmit((form) => mutate(form))}
      onClose={onClose}
    >
      <TextareaField
        {...register('reason')}
        label="Reason"
        hint="Kept in the audit log."
        rows={2}
        error={formState.errors.reason?.message}
      />
    </FormDialog>
  )
}
