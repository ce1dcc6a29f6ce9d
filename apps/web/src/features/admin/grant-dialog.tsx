import { type AdminUser, type PlanId, plans } from '@tocsin/protocol'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useUserAction } from './use-user-action.ts'
import { getDisplayName } from './user-texts.ts'

/** Gives an account a plan without a payment. */
export function GrantDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const [planType, setPlanType] = useState<PlanId>('6h')
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string>()
  const { id } = user
  const grant = useUserAction({
    id,
    run: () => call('grantPlan', { params: { id }, body: { planType, reason: reason.trim() } }),
    done: 'Plan Granted',
    failed: 'Failed to grant the plan.',
    onDone: onClose,
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (reason.trim() === '') setError('Enter a reason. It is kept in the audit log.')
    else if (!grant.isPending) grant.mutate()
  }

  return (
    <FormDialog
      title="Grant a plan"
      description={
        <span className="wrap-anywhere">
          {getDisplayName(user)} gets the plan without a payment. It starts now, or after the current plan.
        </span>
      }
      submitLabels={{ send: 'Grant plan', sending: 'Granting…' }}
      isSending={grant.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Segmented
        label="Plan"
        size="lg"
        value={planType}
        onChange={setPlanType}
        choices={plans.map(({ id: plan, name }) => ({ value: plan, label: name }))}
      />
      <TextField
        label="Reason"
        value={reason}
        error={error}
        maxLength={200}
        autoComplete="off"
        onChange={({ target }) => {
          setReason(target.value)
          setError(undefined)
        }}
      />
    </FormDialog>
  )
}
