import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { ContentFields } from './content-fields.tsx'
import { BroadcastField, LogNote } from './create-alert-fields.tsx'
import { emptyAlert, type NewAlert, type NewAlertDraft, newAlertForm } from './new-alert.ts'
import { refreshAfterAlertChange } from './refresh.ts'

export function CreateAlertForm() {
  const queryClient = useQueryClient()
  const { register, handleSubmit, reset, control, formState } = useForm<NewAlertDraft, unknown, NewAlert>({
    resolver: zodResolver(newAlertForm),
    defaultValues: emptyAlert,
  })
  const { errors, isSubmitting } = formState
  const [asked, setAsked] = useState<NewAlert | null>(null)

  async function create(alert: NewAlert) {
    // A critical alert that is broadcast immediately needs a confirmation.
    if (alert.priority === 'critical' && alert.broadcast && asked === null) return setAsked(alert)
    try {
      const { broadcast } = await call('createAlert', { body: alert })
      toast({ title: 'Alert Created', description: createdWords(broadcast), variant: 'success' })
      reset(emptyAlert)
      setAsked(null)
      refreshAfterAlertChange(queryClient)
    } catch (error) {
      toastRefusal('Error', error, 'Failed to create alert. Please try again.')
    }
  }

  return (
    <Panel title="Create Alert">
      <form noValidate onSubmit={handleSubmit(create, toastInvalid)} className="flex flex-col gap-5">
        <ContentFields suggestionsId="alert" register={register} control={control} errors={errors} />
        <BroadcastField registration={register('broadcast')} />
        <LogNote>An alert can’t be edited afterwards.</LogNote>
        <Button type="submit" variant="primary" size="lg" busy={isSubmitting} className="w-full">
          {isSubmitting ? 'Creating…' : 'Create Alert'}
        </Button>
      </form>
      {asked && (
        <BroadcastDialog
          title="Send a critical alert"
          alert={asked}
          words={{ send: 'Create and broadcast', sending: 'Creating…' }}
          isSending={isSubmitting}
          onConfirm={handleSubmit(create)}
          onClose={() => setAsked(null)}
        />
      )}
    </Panel>
  )
}

function createdWords(wasBroadcast: boolean): string {
  return wasBroadcast
    ? 'New market alert has been created and broadcasted.'
    : 'New market alert has been created. It was not broadcast.'
}

function toastInvalid(): void {
  toast({ title: 'Validation Error', description: 'Please fill in all required fields.', variant: 'destructive' })
}
