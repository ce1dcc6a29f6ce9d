import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { call, sentenceOf } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { readAlertsAgain } from './admin-queries.ts'
import { BroadcastField, ContentSuggestions, PriorityField, SigningNote, SummaryField } from './create-alert-fields.tsx'
import { emptyAlert, type NewAlert, type NewAlertDraft, newAlertForm } from './new-alert.ts'

export function CreateAlertForm() {
  const queryClient = useQueryClient()
  const { register, handleSubmit, reset, control, formState } = useForm<NewAlertDraft, unknown, NewAlert>({
    resolver: zodResolver(newAlertForm),
    defaultValues: emptyAlert,
  })
  const { errors, isSubmitting } = formState

  async function create(alert: NewAlert) {
    try {
      const { broadcast } = await call('createAlert', { body: alert })
      toast({ title: 'Alert Created', description: createdWords(broadcast), variant: 'success' })
      reset(emptyAlert)
      readAlertsAgain(queryClient)
    } catch (error) {
      const description = sentenceOf(error, 'Failed to create alert. Please try again.')
      toast({ title: 'Error', description, variant: 'destructive' })
    }
  }

  return (
    <Panel title="Create Alert">
      <form noValidate onSubmit={handleSubmit(create, toastInvalid)} className="flex flex-col gap-5">
        <ContentSuggestions id={suggestionsId} />
        <div className="grid grid-cols-2 items-start gap-x-4 gap-y-5 phone:grid-cols-1">
          <TextField
            {...register('asset')}
            label="Asset"
            placeholder="ETH/USDT"
            list={`${suggestionsId}-asset`}
            autoComplete="off"
            error={errors.asset?.message}
          />
          <TextField
            {...register('anomalyType')}
            label="Anomaly type"
            aside="Optional"
            list={`${suggestionsId}-anomalyType`}
            autoComplete="off"
            error={errors.anomalyType?.message}
          />
          <TextField
            {...register('confidence')}
            label="Confidence"
            placeholder="0 to 100"
            inputMode="decimal"
            autoComplete="off"
            right="%"
            error={errors.confidence?.message}
          />
          <TextField
            {...register('regime')}
            label="Regime"
            aside="Optional"
            list={`${suggestionsId}-regime`}
            autoComplete="off"
            error={errors.regime?.message}
          />
        </div>
        <SummaryField control={control} registration={register('summary')} error={errors.summary?.message} />
        <PriorityField control={control} />
        <BroadcastField registration={register('broadcast')} />
        <SigningNote />
        <Button type="submit" variant="primary" size="lg" busy={isSubmitting} className="w-full">
          {isSubmitting ? 'Creating…' : 'Create Alert'}
        </Button>
      </form>
    </Panel>
  )
}

const suggestionsId = 'alert-suggestions'

function createdWords(wasBroadcast: boolean): string {
  return wasBroadcast
    ? 'New market alert has been created and broadcasted.'
    : 'New market alert has been created. It was not broadcast.'
}

function toastInvalid(): void {
  toast({ title: 'Validation Error', description: 'Please fill in all required fields.', variant: 'destructive' })
}
