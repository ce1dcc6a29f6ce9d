import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import type { AdminAlert, PagedAlert } from '@tocsin/protocol'
import { memo, type ReactNode, Suspense, useState } from 'react'
import { type Control, useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PriorityGlyph, priorityStyles } from '../../ui/identity/priority-glyph.tsx'
import { addNoBreakSpaces } from '../../ui/keep-units.ts'
import { lazyLoad } from '../../ui/lazy-load.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { formatConfidence } from '../alert/alert-texts.ts'
import { RelationNotes, supersededClasses } from '../alert/relations.tsx'
import { AlertSeal } from '../alerts/alert-seal.tsx'
import { formatLogNumber, formatRepeatCount } from './alert-number.ts'
import { Allowed } from './allowed.tsx'
import { BroadcastButton } from './broadcast-button.tsx'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { ContentFields } from './content-fields.tsx'
import { canBeRevised, createCorrectionForm, createDraft, listChanges } from './corrected-alert.ts'
import { BroadcastField, LogNote } from './create-alert-fields.tsx'
import type { NewAlert, NewAlertDraft } from './new-alert.ts'
import { refreshAfterAlertChange } from './refresh.ts'
import { RetractDialog } from './retract-dialog.tsx'

const AlertReachDialog = lazyLoad(async () => (await import('./reach-dialog.tsx')).AlertReachDialog)

/** One alert of the log, with the state of its broadcast and of its proof. */
export const HistoryRow = memo(function HistoryRow({ alert }: { alert: PagedAlert }) {
  const { asset, priority, summary, confidence, regime, anomalyType, broadcastAt, broadcasts, signal } = alert
  return (
    <li className="animate-row border-t border-line-1 px-5 py-3 text-base first:border-t-0 phone:px-4">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <PriorityGlyph priority={priority} />
        <span className="text-body font-semibold wrap-anywhere">{asset}</span>
        <span className="text-data text-2">{formatLogNumber(alert.logIndex)}</span>
        <span aria-hidden className="text-2">
          {priorityStyles[priority].word}
        </span>
        <Time at={alert.createdAt} className="ml-auto text-data text-2" />
        <span className="flex items-center gap-1 max-[374px]:gap-x-0 phone:-ml-2 phone:grow phone:basis-full phone:flex-wrap phone:*:last:ml-auto">
          <ReachButton alert={alert} />
          <Allowed to="alerts.publish">
            <ReviseButtons alert={alert} />
            <BroadcastButton alert={alert} />
          </Allowed>
        </span>
      </div>
      <RelationNotes alert={alert} className="mt-1.5" />
      <p dir="auto" className={classNames('mt-1.5 wrap-anywhere', alert.supersededBy && supersededClasses)}>
        {addNoBreakSpaces(summary)}
      </p>
      <div className="mt-1 flex min-h-5 flex-wrap items-center gap-x-5 gap-y-1 text-hint">
        <Fact name="Confidence">
          <span className="text-data font-medium">{formatConfidence(confidence)}</span>
        </Fact>
        {regime !== '' && <Fact name="Regime">{regime}</Fact>}
        {anomalyType !== '' && <Fact name="Type">{anomalyType}</Fact>}
        <Broadcasts first={broadcastAt} {...broadcasts} />
        {signal !== null && signal.repeats > 0 && (
          <Fact name={`Repeated ${formatRepeatCount(signal.repeats)}`}>
            {signal.lastRepeatAt !== null && (
              <>
                <span className="text-2">last</span> <Time at={signal.lastRepeatAt} className="text-data" />
              </>
            )}
          </Fact>
        )}
        {signal?.isLate && (
          <Fact name="Received late">
            <span className="text-2">seen</span> <Time at={signal.observedAt} className="text-data" />
          </Fact>
        )}
        <span className="ml-auto phone:ml-0">
          <AlertSeal alert={alert} size={20} variant="full" />
        </span>
      </div>
    </li>
  )
})

/** Shows the time of the broadcast. If there were several, shows their number and the last time. */
function Broadcasts({ first, count, lastAt }: PagedAlert['broadcasts'] & { first: string | null }) {
  if (first === null) return <Fact name="Not broadcast">{null}</Fact>
  const isRepeated = count > 1 && lastAt !== null
  return (
    <Fact name={isRepeated ? `Broadcast ${formatRepeatCount(count)}` : 'Broadcast'}>
      {isRepeated && <span className="text-2">last </span>}
      <Time at={isRepeated ? lastAt : first} className="text-data" />
    </Fact>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span>
      <span className="text-2">{name}</span> {children}
    </span>
  )
}

/** Opens a dialog that shows who received the alert. Hidden before the first broadcast. */
function ReachButton({ alert: { broadcastAt, logIndex, kind } }: { alert: PagedAlert }) {
  const [isOpen, setOpen] = useState(false)
  if (broadcastAt === null || kind !== 'alert') return null
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Reach of ${formatLogNumber(logIndex)}`}
        onClick={() => setOpen(true)}
      >
        Reach
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <AlertReachDialog logIndex={logIndex} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The Correct… and Retract… buttons. Hidden for alerts that can't be revised. */
function ReviseButtons({ alert }: { alert: AdminAlert }) {
  const [openDialog, setOpenDialog] = useState<'correct' | 'retract' | null>(null)
  const close = () => setOpenDialog(null)
  if (!canBeRevised(alert)) return null
  const number = formatLogNumber(alert.logIndex)
  return (
    <>
      <Button size="sm" variant="ghost" aria-label={`Correct ${number}…`} onClick={() => setOpenDialog('correct')}>
        Correct…
      </Button>
      <Button size="sm" variant="ghost" aria-label={`Retract ${number}…`} onClick={() => setOpenDialog('retract')}>
        Retract…
      </Button>
      {openDialog === 'correct' && <CorrectDialog alert={alert} onClose={close} />}
      {openDialog === 'retract' && <RetractDialog alert={alert} onClose={close} />}
    </>
  )
}

/** Replaces an alert by a corrected one. The original stays in the log, marked as corrected. */
function CorrectDialog({ alert, onClose }: { alert: AdminAlert; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { register, handleSubmit, control, formState } = useForm<NewAlertDraft, unknown, NewAlert>({
    resolver: zodResolver(createCorrectionForm(alert)),
    defaultValues: createDraft(alert),
  })
  const { errors, isSubmitting, isDirty } = formState
  const [correctionToConfirm, setCorrectionToConfirm] = useState<NewAlert | null>(null)
  const number = formatLogNumber(alert.logIndex)

  async function correct(body: NewAlert) {
    // A critical alert that is broadcast has to be confirmed first.
    if (body.priority === 'critical' && body.broadcast && correctionToConfirm === null) {
      return setCorrectionToConfirm(body)
    }
    try {
      const { alert: correction } = await call('correctAlert', { params: { id: alert.id }, body })
      const description = `${formatLogNumber(correction.logIndex)} corrects ${number}.`
      toast({ title: 'Alert Corrected', description, variant: 'success' })
      refreshAfterAlertChange(queryClient)
      onClose()
    } catch (error) {
      toastFailure(error, 'Failed to correct alert. Please try again.')
    }
  }

  return (
    <>
      <Dialog
        onOpenChange={onClose}
        title={`Correct ${number}`}
        description="A correction is a complete new alert. The old alert stays in the log, marked as corrected."
        size="lg"
        locked={isSubmitting}
        hasUnsavedText={isDirty}
      >
        <form noValidate onSubmit={handleSubmit(correct)} className="flex flex-col gap-5">
          <ContentFields suggestionsId="correction" register={register} control={control} errors={errors} />
          <Changes alert={alert} control={control} />
          <BroadcastField registration={register('broadcast')} />
          <LogNote>Neither the old alert nor the correction can be edited or deleted afterwards.</LogNote>
          <Button type="submit" variant="primary" size="lg" busy={isSubmitting} className="w-full">
            {isSubmitting ? 'Correcting…' : `Correct ${number}`}
          </Button>
        </form>
      </Dialog>
      {correctionToConfirm && (
        <BroadcastDialog
          title="Send a critical correction"
          alert={correctionToConfirm}
          submitLabels={{ send: 'Correct and broadcast', sending: 'Correcting…' }}
          isSending={isSubmitting}
          onConfirm={handleSubmit(correct)}
          onClose={() => setCorrectionToConfirm(null)}
        />
      )}
    </>
  )
}

type ChangesProps = { alert: AdminAlert; control: Control<NewAlertDraft, unknown, NewAlert> }

/** Lists the fields that the correction changes, with their old and new values. */
function Changes({ alert, control }: ChangesProps) {
  // `useWatch` without defaults can return only some of the values, so `createDraft` provides the
  // others.
  const draft = { ...createDraft(alert), ...useWatch({ control }) }
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
                <del className={supersededClasses}>{before}</del> <ins className="no-underline">{after}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
