import { zodResolver } from '@hookform/resolvers/zod'
import { type AdminUser, type EnrolmentCode, role as roleSchema, roles } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { call } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { reasonField } from './resolve-form.ts'
import { roleLabels } from './role-texts.ts'
import { useUserAction } from './use-user-action.ts'
import { getDisplayName } from './user-texts.ts'

const roleFormSchema = z.object({ role: roleSchema, reason: reasonField })
type RoleForm = z.infer<typeof roleFormSchema>

interface RoleDialogProps {
  user: AdminUser
  onClose: () => void
  /** Called with an enrolment code if the account needs a second factor for the new role. */
  onCode: (issued: EnrolmentCode) => void
}

/** Gives an account another role, with a reason for the audit log. */
export function RoleDialog({ user, onClose, onCode }: RoleDialogProps) {
  const { register, handleSubmit, watch, formState } = useForm<RoleForm>({
    resolver: zodResolver(roleFormSchema),
    defaultValues: { role: user.role, reason: '' },
  })
  const { mutate, isPending } = useUserAction<RoleForm>({
    id: user.id,
    run: async (body) => {
      const changed = await call('changeRole', { params: { id: user.id }, body })
      if (changed.enrolmentCode) onCode(changed.enrolmentCode)
      return changed
    },
    done: 'Role Changed',
    failed: 'Failed to change the role. Please try again.',
    onDone: onClose,
  })
  const chosenRole = watch('role')
  return (
    <FormDialog
      title="Change the role"
      description={
        <span className="wrap-anywhere">
          {getDisplayName(user)}. All sessions end, and the user must sign in again. The user and all owners are
          notified by email. Assigning a staff role also revokes API keys, shared links and the private feed, and a new
          member of staff sets up a new second factor.
        </span>
      }
      submitLabels={{ send: 'Change role', sending: 'Changing…' }}
      variant="danger"
      isSending={isPending}
      onSubmit={handleSubmit((body) => mutate(body))}
      onClose={onClose}
    >
      <SelectField {...register('role')} label="Role" hint={roleLabels[chosenRole].detail}>
        {roles.map((role) => (
          <option key={role} value={role}>
            {roleLabels[role].name}
          </option>
        ))}
      </SelectField>
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
