import { zodResolver } from '@hookform/resolvers/zod'
import type { Alert } from '@tocsin/protocol'
import { type ChangeEvent, useMemo, useRef } from 'react'
import { type FieldErrors, useForm, useWatch } from 'react-hook-form'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { draftOf } from './alert-choice.ts'
import { type Claim, type Draft, verificationForm } from './claim.ts'
import { followText, type ProofFields, statedProof } from './proof-fields.ts'

type VerifyFormProps = {
  chosen: Alert | null
  /** The address names an alert that is not to be had. */
  isUnknown: boolean
  isBusy: boolean
  onVerify: (claim: Claim) => Promise<unknown>
  onEdit: () => void
  onChoose: () => void
  onClear: () => void
}

const nothingStated: ProofFields = { signature: '', transaction: '' }

/** Holds one alert; give it the chosen one's id as its key. */
export function VerifyForm({ chosen, isUnknown, isBusy, onVerify, onEdit, onChoose, onClear }: VerifyFormProps) {
  const values = useMemo(() => draftOf(chosen), [chosen])
  const { register, handleSubmit, getValues, setValue, reset, control, formState } = useForm<Draft, unknown, Claim>({
    resolver: zodResolver(verificationForm),
    values,
    // The anchor of a chosen alert may arrive later: it fills in what nobody has touched.
    resetOptions: { keepDirtyValues: true, keepErrors: true },
  })
  const { errors, isSubmitted } = formState
  const stated = useRef(statedProof(values.alertText) ?? nothingStated)
  const alertText = useWatch({ control, name: 'alertText' })

  function fillFromText({ target }: ChangeEvent<HTMLTextAreaElement>) {
    const now = statedProof(target.value)
    if (!now) return
    const next = followText(getValues(), stated.current, now)
    stated.current = now
    const options = { shouldDirty: true, shouldValidate: isSubmitted }
    setValue('signature', next.signature, options)
    setValue('transaction', next.transaction, options)
  }

  function clear() {
    reset(draftOf(null), { keepDirtyValues: false, keepErrors: false })
    stated.current = nothingStated
    onClear()
  }

  // What goes wrong is told by the page.
  const submit = handleSubmit((claim) => onVerify(claim).catch(() => {}), toastMissing)
  return (
    <Panel
      title="Verify an alert"
      right={
        <button type="button" onClick={onChoose} className="link touch-target text-base">
          Choose from my alerts
        </button>
      }
    >
      <form noValidate onSubmit={submit} onChange={onEdit} className="flex flex-col gap-5">
        {isUnknown && (
          <p role="status" className="text-base text-2">
            The alert of this link is not among those that you can read. Paste it here, or choose another.
          </p>
        )}
        <TextareaField
          {...register('alertText', { onChange: fillFromText })}
          label="Alert JSON"
          aside={`${new TextEncoder().encode(alertText).length.toLocaleString('en-US')} bytes`}
          error={errors.alertText?.message}
          rows={13}
          mono
          spellCheck={false}
          autoComplete="off"
        />
        <TextField
          {...register('signature')}
          label="Signature"
          aside="EIP-712"
          error={errors.signature?.message}
          mono
          spellCheck={false}
          autoComplete="off"
        />
        <TextField
          {...register('transaction')}
          label="Transaction"
          aside="avalancheTx"
          error={errors.transaction?.message}
          mono
          spellCheck={false}
          autoComplete="off"
        />
        <div>
          <div className="flex gap-2">
            <Button type="submit" variant="primary" size="lg" busy={isBusy} className="flex-1">
              {isBusy ? 'Verifying…' : 'Verify alert'}
            </Button>
            <Button size="lg" onClick={clear}>
              Clear
            </Button>
          </div>
          <p className="mt-3 text-hint text-2">All three fields are needed.</p>
        </div>
      </form>
    </Panel>
  )
}

function toastMissing(errors: FieldErrors<Draft>): void {
  const messages = [errors.alertText, errors.signature, errors.transaction].flatMap((error) => error?.message ?? [])
  toast({ title: 'Missing Information', description: `${messages.join('. ')}.`, variant: 'destructive' })
}
