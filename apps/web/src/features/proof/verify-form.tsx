import { zodResolver } from '@hookform/resolvers/zod'
import type { Alert } from '@tocsin/protocol'
import { Cpu } from 'lucide-react'
import { type ChangeEvent, useCallback, useEffect, useMemo, useRef } from 'react'
import { type FieldErrors, useForm, useWatch } from 'react-hook-form'
import { Button } from '../../ui/button.tsx'
import { numberLocale } from '../../ui/locale.ts'
import { Panel } from '../../ui/panel.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextareaField } from '../../ui/textarea-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { draftOf } from './alert-choice.ts'
import { type Claim, type Draft, verificationForm } from './claim.ts'
import { FileChoice } from './file-choice.tsx'
import { FileDrop } from './file-drop.tsx'
import { type ProofFields, parseProofFields, updateFields } from './proof-fields.ts'
import { readProofFile } from './proof-file.ts'

type VerifyFormProps = {
  chosen: Alert | null
  /** The URL names an alert that is not available. */
  isUnknown: boolean
  /** Where a check is running. */
  busy: 'server' | 'browser' | null
  onCheck: (by: 'server' | 'browser', claim: Claim) => void
  /** Called when the alert's text changes. */
  onText: (text: string) => void
  onEdit: () => void
  onChoose: () => void
  onClear: () => void
}

const emptyFields: ProofFields = { signature: '', transaction: '' }

/** Form for one alert. Use the chosen alert's id as React key. */
export function VerifyForm(props: VerifyFormProps) {
  const { chosen, isUnknown, busy, onCheck, onText, onEdit, onChoose, onClear } = props
  const values = useMemo(() => draftOf(chosen), [chosen])
  const { register, handleSubmit, getValues, setValue, reset, control, formState } = useForm<Draft, unknown, Claim>({
    resolver: zodResolver(verificationForm),
    values,
    // If the chosen alert is anchored later, update the fields that were not edited.
    resetOptions: { keepDirtyValues: true, keepErrors: true },
  })
  const { errors, isSubmitted } = formState
  const lastFields = useRef(parseProofFields(values.alertText) ?? emptyFields)
  const alertText = useWatch({ control, name: 'alertText' })
  useEffect(() => onText(alertText), [alertText, onText])

  function fillFromText(text: string) {
    const now = parseProofFields(text)
    if (!now) return
    const next = updateFields(getValues(), lastFields.current, now)
    lastFields.current = now
    const options = { shouldDirty: true, shouldValidate: isSubmitted }
    setValue('signature', next.signature, options)
    setValue('transaction', next.transaction, options)
  }

  const openFile = useCallback(
    async (file: File) => {
      const read = await readProofFile(file)
      if ('problem' in read) return toast({ title: 'File Not Read', description: read.problem, variant: 'destructive' })
      const now = parseProofFields(read.text) ?? emptyFields
      lastFields.current = now
      const options = { shouldDirty: true, shouldValidate: isSubmitted }
      setValue('alertText', read.text, options)
      setValue('signature', now.signature, options)
      setValue('transaction', now.transaction, options)
      onEdit()
    },
    [isSubmitted, setValue, onEdit],
  )

  function clear() {
    reset(draftOf(null), { keepDirtyValues: false, keepErrors: false })
    lastFields.current = emptyFields
    onClear()
  }

  const verify = handleSubmit((claim) => onCheck('server', claim), toastMissing)
  const recompute = handleSubmit((claim) => onCheck('browser', claim), toastMissing)
  return (
    <Panel
      title="Verify an alert"
      right={
        <button type="button" onClick={onChoose} className="link touch-target text-base">
          Choose from my alerts
        </button>
      }
    >
      <FileDrop onFile={openFile}>
        <form noValidate onSubmit={verify} onChange={onEdit} className="flex flex-col gap-5">
          {isUnknown && (
            <p role="status" className="text-base text-2">
              The alert of this link is not among those that you can read. Paste it here, or choose another.
            </p>
          )}
          <TextareaField
            {...register('alertText', {
              onChange: ({ target }: ChangeEvent<HTMLTextAreaElement>) => fillFromText(target.value),
            })}
            label="Alert JSON"
            aside={`${new TextEncoder().encode(alertText).length.toLocaleString(numberLocale)} bytes`}
            error={errors.alertText?.message}
            rows={13}
            mono
            spellCheck={false}
            autoComplete="off"
          />
          <FileChoice
            text="Open a proof file, or drop it here"
            onFile={(file) => void openFile(file)}
            className="-mt-3"
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
              <Button type="submit" variant="primary" size="lg" busy={busy === 'server'} className="flex-1">
                {busy === 'server' ? 'Verifying…' : 'Verify alert'}
              </Button>
              <Button size="lg" onClick={clear}>
                Clear
              </Button>
            </div>
            <Button size="lg" busy={busy === 'browser'} onClick={recompute} className="mt-2 w-full">
              <Cpu aria-hidden size={16} strokeWidth={2.25} />
              {busy === 'browser' ? 'Recomputing…' : 'Recompute in this browser'}
            </Button>
            <p className="mt-3 text-hint text-2">
              All three fields are required. Recomputing sends requests only to the chain.
            </p>
          </div>
        </form>
      </FileDrop>
    </Panel>
  )
}

function toastMissing(errors: FieldErrors<Draft>): void {
  const messages = [errors.alertText, errors.signature, errors.transaction].flatMap((error) => error?.message ?? [])
  toast({ title: 'Missing Information', description: `${messages.join('. ')}.`, variant: 'destructive' })
}
