import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deletePhrase } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useAuth, useUser } from '../../session/auth.tsx'
import { useConfirmed } from '../../session/confirmed.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { failureOf } from './use-account-change.ts'

export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const confirmed = useConfirmed()
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { confirmation: '' } })
  const { errors, isSubmitting } = formState

  async function remove({ confirmation }: { confirmation: string }) {
    if (confirmation.trim().toLowerCase() !== deletePhrase) {
      return setError('confirmation', { message: `Please type: ${deletePhrase}` }, { shouldFocus: true })
    }
    try {
      const { message } = await confirmed(() => call('deleteAccount', { body: { confirmation: deletePhrase } }))
      toast({ title: 'Account Deleted', description: message })
      await navigate({ to: paths.home })
      await signOut({ forgetAdmin: true })
    } catch (error) {
      const message = failureOf(error, 'Your account could not be deleted. Please try again.')
      setError('confirmation', { message }, { shouldFocus: true })
    }
  }

  return (
    <FormDialog
      title="Delete my account"
      description="Your account is deleted immediately. This can’t be undone, not even by us."
      words={{ send: 'Delete my account', sending: 'Deleting…' }}
      variant="danger"
      isSending={isSubmitting}
      error={undefined}
      onSubmit={handleSubmit(remove)}
      onClose={onClose}
    >
      <ul className="grid list-disc gap-2 pl-4 text-base text-2 marker:text-3">
        <li>Your name, email, password, sessions and linked sign-ins are deleted.</li>
        <SubscriptionEnds />
        <li>Your wallets are unlinked. This does not affect the funds in them.</li>
        <li>
          Payments stay in our books without your name, and on the chain. The public log contains only alerts, nothing
          about you.
        </li>
      </ul>
      <TextField
        {...register('confirmation')}
        id="delete-confirmation"
        label={`Type “${deletePhrase}”`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.confirmation?.message}
      />
    </FormDialog>
  )
}

function SubscriptionEnds() {
  const { id } = useUser()
  const { data: subscription } = useQuery(queries.activeSubscription(id))
  if (!subscription) return <li>You have no active subscription. Paid ITO is not refunded.</li>
  return (
    <li>
      Your subscription, paid until <Time at={subscription.endTime} show="date" /> <ZoneName />, ends immediately. Paid
      ITO is not refunded.
    </li>
  )
}
