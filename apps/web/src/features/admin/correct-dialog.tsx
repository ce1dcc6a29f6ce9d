import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import type { AdminAlert } from '@tocsin/protocol'
import { type Control, useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { supersededLook } from '../alert/relations.tsx'
import { toastRefusal } from './admin-toasts.ts'
import { logNumber } from './alert-number.ts'
import { ContentFields } from './content-fields.tsx'
import { correctionFormOf, draftOf, listChanges } from './corrected-alert.ts'
import { BroadcastField, LogNote } from './create-alert-fields.tsx'
import type { NewAlert, NewAlertDraft } from './new-alert.ts'
import { refreshAfterAlertChange } from './refresh.ts'

type CorrectDialogProps = { alert: AdminAlert; open: boolean; onOpenChange: (open: boolean) => void }

/** Corrects an alert with a complete new one. The old one stays in the log, marked as corrected. */
export function CorrectDialog({ alert, open, onOpenChange }: CorrectDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Correct ${logNumber(alert.logIndex)}`}
      description="A correction is a complete new alert. The old one stays in the log, marked as corrected."
      size="lg"
    >
      <CorrectForm alert={alert} onDone={() => onOpenChange(false)} />
    </Dialog>
  )
}

function CorrectForm({ alert, onDone }: { alert: AdminAlert; onDone: () => void }) {
  const queryClient = useQueryClient()
  const { register, handleSubmit, control, formState } = useForm<NewAlertDraft, unknown, NewAlert>({
    resolver: zodResolver(correctionFormOf(alert)),
    defaultValues: draftOf(alert),
  })
  const { errors, isSubmitting } = formState

  async function correct(body: NewAlert) {
    try {
      const { alert: correction } = await call('correctAlert', { params: { id: alert.id }, body })
      const description = `${logNumber(correction.logIndex)} corrects ${logNumber(alert.logIndex)}.`
      toast({ title: 'Alert Corrected', description, variant: 'success' })
      refreshAfterAlertChange(queryClient)
      onDone()
    } catch (error) {
      toastRefusal('Error', error, 'Failed to correct alert. Please try again.')
    }
  }

  return (
    <form noValidate onSubmit={handleSubmit(correct)} className="flex flex-col gap-5">
      <ContentFields suggestionsId="correction" register={register} control={control} errors={errors} />
      <Changes alert={alert} control={control} />
      <BroadcastField registration={register('broadcast')} />
      <LogNote>Neither entry can be edited or deleted afterwards.</LogNote>
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting} className="w-full">
        {isSubmitting ? 'Correcting…' : `Correct ${logNumber(alert.logIndex)}`}
      </Button>
    </form>
  )
}

type ChangesProps = { alert: AdminAlert; control: Control<NewAlertDraft, unknown, NewAlert> }

/** Preview of the changed fields. */
function Changes({ alert, control }: ChangesProps) {
  // `useWatch` without defaults may return partial values; the form started with all fields.
  const draft = { ...draftOf(alert), ...useWatch({ control }) }
  const changes = listChanges(alert, draft)
  return (
    <section aria-label="Changes" className="border border-line-1 bg-ink-0 p-4">
      <h3 className="text-label text-2">Changes</h3>
      {changes.length === 0 ? (
        <p className="mt-2 text-base text-2">No changes yet.</p>
      ) : (
        <dl className="mt-2 flex flex-col gap-2">
          {changes.map(({ field, label, before, after }) => (
            <div key={field} className="grid grid-cols-[96px_minmax(0,1fr)] gap-x-3 text-base phone:grid-cols-1">
              <dt className="text-2">{label}</dt>
              <dd className="wrap-anywhere">
                <del className={supersededLook}>{before}</del> <ins className="no-underline">{after}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
