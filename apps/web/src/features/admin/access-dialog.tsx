import { zodResolver } from '@hookform/resolvers/zod'
import type { AdminUser } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { call } from '../../api.ts'
import { adminUsersTexts } from '../../texts/admin-users.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { FormDialog } from '../settings/form-dialog.tsx'
import { reasonField } from './resolve-form.ts'
import { useUserAction } from './use-user-action.ts'
import { displayName } from './user-words.ts'

const texts = adminUsersTexts.accessDialog

export type AccessChange = 'suspend' | 'unsuspend' | 'promote' | 'demote'

type Reason = { reason: string }

interface Change {
  title: string
  description: string
  send: string
  sending: string
  done: string
  failed: string
  run: (id: string, body: Reason) => Promise<{ message: string }>
}

const changes: Record<AccessChange, Change> = {
  suspend: {
    title: texts.suspend,
    description: texts.signsTheAccount,
    send: texts.suspend,
    sending: texts.suspending,
    done: texts.userSuspended,
    failed: texts.failedToSuspendTheUser,
    run: (id, body) => call('suspendUser', { params: { id }, body }),
  },
  unsuspend: {
    title: texts.letInAgain,
    description: texts.accountCanSignInAgain,
    send: texts.letInAgain,
    sending: texts.lettingIn,
    done: texts.userLetInAgain,
    failed: texts.failedToLetTheUser,
    run: (id, body) => call('unsuspendUser', { params: { id }, body }),
  },
  promote: {
    title: texts.makeAnAdmin,
    description: texts.adminCanDoEverythingHere,
    send: texts.makeAnAdmin,
    sending: texts.changing,
    done: texts.roleChanged,
    failed: texts.failedToChangeTheRole,
    run: (id, body) => call('changeRole', { params: { id }, body: { ...body, role: 'admin' } }),
  },
  demote: {
    title: texts.makeARegularUser,
    description: texts.takesTheAdminAreaAway,
    send: texts.makeARegularUser,
    sending: texts.changing,
    done: texts.roleChanged,
    failed: texts.failedToChangeTheRole,
    run: (id, body) => call('changeRole', { params: { id }, body: { ...body, role: 'user' } }),
  },
}

const reasonForm = z.object({ reason: reasonField })

type AccessDialogProps = { user: AdminUser; change: AccessChange; onClose: () => void }

/** Changes who somebody is here, with a reason that is kept. */
export function AccessDialog({ user, change, onClose }: AccessDialogProps) {
  const { title, description, send, sending, done, failed, run } = changes[change]
  const { register, handleSubmit, formState } = useForm<Reason>({
    resolver: zodResolver(reasonForm),
    defaultValues: { reason: '' },
  })
  const { mutate, isPending } = useUserAction<Reason>({
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
          {displayName(user)}. {description}
        </span>
      }
      words={{ send, sending }}
      variant={change === 'unsuspend' ? 'primary' : 'danger'}
      isSending={isPending}
      error={undefined}
      onSubmit={handleSubmit((form) => mutate(form))}
      onClose={onClose}
    >
      <TextareaField
        {...register('reason')}
        label={texts.reason}
        hint={texts.keptInTheAuditTrail}
        rows={2}
        error={formState.errors.reason?.message}
      />
    </FormDialog>
  )
}
