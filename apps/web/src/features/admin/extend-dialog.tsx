import { zodResolver } from '@hookform/resolvers/zod'
import { type AdminUser, getPlan, maxExtensionHours } from '@tocsin/protocol'
import { useForm, useWatch } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatDateTimeWithZone } from '../../ui/format-time.ts'
import { KeyValue } from '../../ui/key-value.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { useTimeStyle } from '../../ui/time-style.ts'
import { toast } from '../../ui/toast.tsx'
import {
  computeExtendedEnd,
  type Extension,
  type ExtensionDraft,
  extensionForm,
  extensionPresets,
  invalidHoursMessage,
} from './extension.ts'
import { useUserAction } from './use-user-action.ts'
import { getDisplayName } from './user-texts.ts'

export function ExtendDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const { register, handleSubmit, control, setValue, formState } = useForm<ExtensionDraft, unknown, Extension>({
    resolver: zodResolver(extensionForm),
    defaultValues: { hours: '24', reason: '' },
  })
  const hours = useWatch({ control, name: 'hours' }).trim()
  const { errors } = formState
  const extend = useUserAction({
    id: user.id,
    run: ({ hours: additionalHours, reason }: Extension) =>
      call('extendSubscription', {
        params: { id: user.id },
        body: { additionalHours, ...(reason === '' ? {} : { reason }) },
      }),
    done: 'Subscription Extended',
    failed: 'Failed to extend subscription.',
    onDone: onClose,
  })
  const style = useTimeStyle()
  const { activeSubscription: currentSubscription } = user
  const endsAt = currentSubscription && computeExtendedEnd(currentSubscription.endTime, hours)

  function toastInvalid() {
    if (extensionForm.shape.hours.safeParse(hours).success) return
    toast({ title: 'Invalid Input', description: invalidHoursMessage, variant: 'destructive' })
  }

  return (
    <FormDialog
      title="Extend subscription"
      description={
        <span className="wrap-anywhere">
          {getDisplayName(user)}
          {currentSubscription &&
            `, ${getPlan(currentSubscription.planType).name}, ends ${formatDateTimeWithZone(Date.parse(currentSubscription.endTime), style)}`}
        </span>
      }
      submitLabels={{ send: endsAt === null ? 'Extend' : `Extend by ${hours} h`, sending: 'Extending…' }}
      isSending={extend.isPending}
      onSubmit={handleSubmit((form) => extend.mutate(form), toastInvalid)}
      onClose={onClose}
    >
      <div className="grid gap-2">
        <TextField
          {...register('hours')}
          label="Hours to add"
          aside={`1 to ${maxExtensionHours}`}
          type="number"
          inputMode="numeric"
          min={1}
          max={maxExtensionHours}
          autoComplete="off"
          mono
          error={errors.hours?.message}
        />
        <div className="grid grid-cols-4 gap-2">
          {extensionPresets.map((preset) => (
            <Button
              key={preset.label}
              aria-pressed={hours === String(preset.hours)}
              onClick={() => setValue('hours', String(preset.hours), { shouldValidate: true })}
              className="aria-pressed:border-text-2 aria-pressed:bg-ink-3"
            >
              {preset.label}
            </Button>
          ))}
        </div>
      </div>
      <TextField
        {...register('reason')}
        label="Reason"
        aside="Optional"
        autoComplete="off"
        error={errors.reason?.message}
      />
      <dl>
        <KeyValue label="New end">{endsAt ? <Time at={endsAt} show="moment" /> : '—'}</KeyValue>
      </dl>
    </FormDialog>
  )
}
