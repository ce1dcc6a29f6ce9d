import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatDateTimeWithZone } from '../../ui/format-time.ts'
import { TextField } from '../../ui/text-field.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { adminQueries } from './admin-queries.ts'
import { BroadcastDialog } from './broadcast-dialog.tsx'
import { ContentFields } from './content-fields.tsx'
import { formatLocalTime, parseLocalTime } from './local-time.ts'
import { type NewAlert, type NewAlertDraft, newAlertForm } from './new-alert.ts'
import { refreshWithAudit } from './refresh.ts'

interface ScheduleDialogProps {
  initial: NewAlertDraft
  /** The scheduled alert to change, with its current time. Undefined to schedule a new alert. */
  changes?: { id: string; issueAt: string }
  onDone?: () => void
  onClose: () => void
}

/** Schedules an alert, which the server issues at the chosen time, or changes a scheduled alert. */
export function ScheduleDialog({ initial, changes, onDone, onClose }: ScheduleDialogProps) {
  const queryClient = useQueryClient()
  const style = useTimeStyle()
  const { register, handleSubmit, control, formState } = useForm<NewAlertDraft, unknown, NewAlert>({
    resolver: zodResolver(newAlertForm),
    defaultValues: initial,
  })
  const [localTime, setLocalTime] = useState(() =>
    formatLocalTime(changes ? new Date(changes.issueAt) : new Date(Date.now() + HOUR_MS)),
  )
  const [timeError, setTimeError] = useState<string>()
  const [alertToConfirm, setAlertToConfirm] = useState<NewAlert | null>(null)

  async function save(alert: NewAlert) {
    const { broadcast: _broadcast, ...content } = alert
    // If the time is unchanged, keep the stored time. The field has no seconds, and its value is
    // ambiguous in the hour that is repeated when daylight saving time ends.
    const isUnchanged = changes !== undefined && localTime === formatLocalTime(new Date(changes.issueAt))
    const issueAt = isUnchanged ? changes.issueAt : parseLocalTime(localTime)
    if (issueAt === null || Date.parse(issueAt) <= Date.now()) {
      // The time may have passed while the confirmation was open.
      setAlertToConfirm(null)
      return setTimeError('Choose a time in the future.')
    }
    // A critical alert is broadcast at its time, so it has to be confirmed first.
    if (alert.priority === 'critical' && alertToConfirm === null) return setAlertToConfirm(alert)
    const body = { ...content, issueAt }
    try {
      await (changes
        ? call('changeScheduledAlert', { params: { id: changes.id }, body })
        : call('scheduleAlert', { body }))
      const description = `It is issued on ${formatDateTimeWithZone(Date.parse(issueAt), style)}.`
      toast({ title: changes ? 'Schedule Changed' : 'Alert Scheduled', description, variant: 'success' })
      refreshWithAudit(queryClient, adminQueries.scheduled.queryKey)
      onDone?.()
      onClose()
    } catch (error) {
      toastFailure(error, 'The alert was not scheduled. Please try again.')
    }
  }

  return (
    <>
      <FormDialog
        title={changes ? 'Change a scheduled alert' : 'Schedule an alert'}
        description="The server signs, logs and broadcasts the alert at the chosen time. Users cannot see it before."
        submitLabels={{ send: changes ? 'Save' : 'Schedule alert', sending: 'Saving…' }}
        isSending={formState.isSubmitting}
        hasUnsavedText={formState.isDirty}
        onSubmit={handleSubmit(save)}
        onClose={onClose}
      >
        <TextField
          label="Issue at"
          aside="Your local time"
          type="datetime-local"
          value={localTime}
          error={timeError}
          onChange={({ target }) => {
            setLocalTime(target.value)
            setTimeError(undefined)
          }}
        />
        <ContentFields suggestionsId="schedule" register={register} control={control} errors={formState.errors} />
      </FormDialog>
      {alertToConfirm && (
        <BroadcastDialog
          title={changes ? 'Change a critical alert' : 'Schedule a critical alert'}
          description="The alert is sent at its time and cannot be recalled. Until then, you can change or cancel it."
          alert={alertToConfirm}
          submitLabels={{ send: changes ? 'Save and broadcast' : 'Schedule and broadcast', sending: 'Saving…' }}
          isSending={formState.isSubmitting}
          onConfirm={handleSubmit(save)}
          onClose={() => setAlertToConfirm(null)}
        />
      )}
    </>
  )
}
