import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import type { AdminAlert } from '@tocsin/protocol'
import { type Control, useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PriorityGlyph } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { supersededClasses } from '../alert/relations.tsx'
import { formatLogNumber } from './alert-number.ts'
import { createRetractionForm, type RetractionDraft } from './corrected-alert.ts'
import { BroadcastField, LogNote } from './create-alert-fields.tsx'
import { refreshAfterAlertChange } from './refresh.ts'
import { useNextNumber } from './use-next-number.ts'

/** Retracts an alert with a reason. The alert stays in the log, marked as retracted. */
export function RetractDialog({ alert, onClose }: { alert: AdminAlert; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { register, handleSubmit, control, formState } = useForm<RetractionDraft>({
    resolver: zodResolver(createRetractionForm(alert.logIndex)),
    defaultValues: { reason: '', typed: '', broadcast: true },
  })
  const { errors, isSubmitting, isDirty } = formState

  async function retract({ reason, broadcast }: RetractionDraft) {
    try {
      const { alert: retraction } = await call('retractAlert', {
        params: { id: alert.id },
        body: { reason, broadcast },
      })
      const description = `${formatLogNumber(retraction.logIndex)} retracts ${formatLogNumber(alert.logIndex)}.`
      toast({ title: 'Alert Retracted', description, variant: 'success' })
      refreshAfterAlertChange(queryClient)
      onClose()
    } catch (error) {
      toastFailure(error, 'Failed to retract alert. Please try again.')
    }
  }

  return (
    <Dialog
      onOpenChange={onClose}
      title={`Retract ${formatLogNumber(alert.logIndex)}`}
      description="The alert and its proof stay in the log, marked as retracted. A retraction is final."
      size="lg"
      locked={isSubmitting}
      hasUnsavedText={isDirty}
    >
      <form noValidate onSubmit={handleSubmit(retract)} className="flex flex-col gap-5">
        <TextareaField
          {...register('reason')}
          label="Reason"
          hint="One sentence, shown wherever the alert is shown."
          rows={2}
          error={errors.reason?.message}
        />
        <Preview alert={alert} control={control} />
        <BroadcastField registration={register('broadcast')} />
        <LogNote>A retraction can’t be undone.</LogNote>
        <TextField
          {...register('typed')}
          label={`Type ${alert.logIndex} to confirm`}
          autoComplete="off"
          inputMode="numeric"
          mono
          error={errors.typed?.message}
        />
        <Button type="submit" variant="danger" size="lg" busy={isSubmitting} className="w-full">
          {isSubmitting ? 'Retracting…' : `Retract ${formatLogNumber(alert.logIndex)}`}
        </Button>
      </form>
    </Dialog>
  )
}

type PreviewProps = { alert: AdminAlert; control: Control<RetractionDraft> }

/** Preview of the retracted alert as users see it. */
function Preview({ alert, control }: PreviewProps) {
  const nextNumber = useNextNumber()
  const reason = useWatch({ control, name: 'reason' }).trim()
  return (
    <section aria-label="Preview" className="border border-line-1 bg-ink-0 p-4">
      <h3 className="text-label text-2">Preview</h3>
      <p className="mt-2 flex flex-wrap items-center gap-x-2 text-base">
        <PriorityGlyph priority={alert.priority} word />
        <span className="font-semibold">{alert.asset}</span>
        <span className="text-2">{alert.anomalyType}</span>
      </p>
      <p className="mt-1 text-base font-medium wrap-anywhere">
        {`Retracted by ${nextNumber ?? 'the next entry'}: ${reason || '…'}`}
      </p>
      <p dir="auto" className={`mt-1 text-base wrap-anywhere ${supersededClasses}`}>
        {addNoBreakSpaces(alert.summary)}
      </p>
    </section>
  )
}
