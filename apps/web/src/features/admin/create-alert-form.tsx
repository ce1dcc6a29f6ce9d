import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api.ts'
import { adminAlertsTexts } from '../../texts/admin-alerts.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { ContentFields } from './content-fields.tsx'
import { BroadcastField, LogNote } from './create-alert-fields.tsx'
import { emptyAlert, type NewAlert, type NewAlertDraft, newAlertForm } from './new-alert.ts'
import { refreshAfterAlertChange } from './refresh.ts'

const texts = adminAlertsTexts.createAlertForm

export function CreateAlertForm() {
  const queryClient = useQueryClient()
  const { register, handleSubmit, reset, control, formState } = useForm<NewAlertDraft, unknown, NewAlert>({
    resolver: zodResolver(newAlertForm),
    defaultValues: emptyAlert,
  })
  const { errors, isSubmitting } = formState
  const [asked, setAsked] = useState<NewAlert | null>(null)

  async function create(alert: NewAlert) {
    // What is critical and goes out at once is looked at once more.
    if (alert.priority === 'critical' && alert.broadcast && asked === null) return setAsked(alert)
    try {
      const { broadcast } = await call('createAlert', { body: alert })
      toast({ title: texts.alertCreated, description: createdWords(broadcast), variant: 'success' })
      reset(emptyAlert)
      setAsked(null)
      refreshAfterAlertChange(queryClient)
    } catch (error) {
      toastRefusal(texts.error, error, texts.failedToCreateAlertPlease)
    }
  }

  return (
    <Panel title={texts.createAlert}>
      <form noValidate onSubmit={handleSubmit(create, toastInvalid)} className="flex flex-col gap-5">
        <ContentFields suggestionsId={texts.alert} register={register} control={control} errors={errors} />
        <BroadcastField registration={register('broadcast')} />
        <LogNote>{texts.alertCantBeEdited}</LogNote>
        <Button type="submit" variant="primary" size="lg" busy={isSubmitting} className="w-full">
          {isSubmitting ? texts.creating : texts.createAlert}
        </Button>
      </form>
      {asked && (
        <BroadcastDialog
          title={texts.sendACriticalAlert}
          alert={asked}
          words={{ send: texts.createAndBroadcast, sending: texts.creating }}
          isSending={isSubmitting}
          onConfirm={handleSubmit(create)}
          onClose={() => setAsked(null)}
        />
      )}
    </Panel>
  )
}

function createdWords(wasBroadcast: boolean): string {
  return wasBroadcast ? texts.newMarketAlert : texts.newMarketAlertHas
}

function toastInvalid(): void {
  toast({ title: texts.validationError, description: texts.pleaseFillInAllRequired, variant: 'destructive' })
}
