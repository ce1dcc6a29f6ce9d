import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deletePhrase } from '@tocsin/protocol'
import { useForm } from 'react-hook-form'
import { call } from '../../api.ts'
import { useAuth, useUser } from '../../auth.tsx'
import { useConfirmed } from '../../confirmation.tsx'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { FormDialog } from './form-dialog.tsx'
import { failureOf } from './use-account-change.ts'

const texts = settingsTexts.deleteAccountDialog

export function DeleteAccountDialog({ onClose }: { onClose: () => void }) {
  const confirmed = useConfirmed()
  const { signOut } = useAuth()
  const navigate = useNavigate()
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { confirmation: '' } })
  const { errors, isSubmitting } = formState

  async function remove({ confirmation }: { confirmation: string }) {
    if (confirmation.trim().toLowerCase() !== deletePhrase) {
      return setError(
        'confirmation',
        { message: texts.pleaseTypeDeletePhrase({ deletePhrase }) },
        { shouldFocus: true },
      )
    }
    try {
      const { message } = await confirmed(() => call('deleteAccount', { body: { confirmation: deletePhrase } }))
      toast({ title: texts.accountDeleted, description: message })
      await navigate({ to: paths.home })
      await signOut({ forgetAdmin: true })
    } catch (error) {
      const message = failureOf(error, texts.yourAccount)
      setError('confirmation', { message }, { shouldFocus: true })
    }
  }

  return (
    <FormDialog
      title={texts.deleteMyAccount}
      description={texts.itHappensAtOnce}
      words={{ send: texts.deleteMyAccount, sending: texts.deleting }}
      variant="danger"
      isSending={isSubmitting}
      error={undefined}
      onSubmit={handleSubmit(remove)}
      onClose={onClose}
    >
      <ul className="grid list-disc gap-2 pl-4 text-base text-2 marker:text-3">
        <li>{texts.yourNameEmailPassword}</li>
        <SubscriptionEnds />
        <li>{texts.yourWalletsAreReleased}</li>
        <li>{texts.paymentsStayInOurBooks}</li>
      </ul>
      <TextField
        {...register('confirmation')}
        id="delete-confirmation"
        label={texts.typeDeletePhrase({ deletePhrase })}
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
  if (!subscription) return <li>{texts.youHaveNoRunning}</li>
  return (
    <li>
      {texts.yourSubscriptionPaid({ endTime: <Time at={subscription.endTime} show="date" />, zone: <ZoneName /> })}
    </li>
  )
}
