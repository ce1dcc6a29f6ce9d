import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { call, sentenceOf } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { type NameForm, nameForm } from '../account/credentials.ts'
import { useAccountRefresh } from './use-account-change.ts'

export function NameDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useAccountRefresh()
  const { register, handleSubmit, setError, formState } = useForm<NameForm>({
    resolver: zodResolver(nameForm),
    defaultValues: { name },
  })
  const { errors, isSubmitting } = formState

  async function save(form: NameForm) {
    try {
      const { message } = await call('changeName', { body: form })
      toast({ title: 'Name Changed', description: message, variant: 'success' })
      onClose()
      await refresh()
    } catch (error) {
      setError('name', { message: sentenceOf(error, 'The name could not be changed. Please try again.') })
    }
  }

  return (
    <FormDialog
      title="Change name"
      description="Administrators see it; other users do not."
      words={{ send: 'Save', sending: 'Saving…' }}
      isSending={isSubmitting}
      error={undefined}
      onSubmit={handleSubmit(save)}
      onClose={onClose}
    >
      <TextField
        {...register('name')}
        id="account-name"
        label="Name"
        autoComplete="name"
        maxLength={100}
        error={errors.name?.message}
      />
    </FormDialog>
  )
}
