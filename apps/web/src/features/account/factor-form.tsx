import { type FactorMethod, recoveryCodeCount } from '@tocsin/protocol'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { getErrorMessage } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { describePasskeyFailure, hasPasskeySupport } from './passkeys.ts'

interface FactorFormProps {
  methods: readonly FactorMethod[]
  /** Labels of the submit button: `send` normally, `sending` while the form is submitted. */
  submitLabels: { send: string; sending: string }
  onCode: (code: string) => Promise<void>
  onPasskey: () => Promise<void>
}

type CodeMethod = Exclude<FactorMethod, 'passkey'>

const codeFields = {
  enrolment: {
    label: 'Enrolment code',
    inputMode: 'text',
    hint: 'Four groups of four characters. The code works once, within three days.',
  },
  totp: { label: 'Code from your authenticator app', inputMode: 'numeric', hint: 'Six digits.' },
  'recovery-code': {
    label: 'Recovery code',
    inputMode: 'text',
    hint: `One of the ${recoveryCodeCount} codes that you saved.`,
  },
} as const

/** Asks for one of the account's second factors: a passkey, a code, or a recovery code. */
export function FactorForm({ methods, submitLabels, onCode, onPasskey }: FactorFormProps) {
  const hasApp = methods.includes('totp')
  const hasPasskey = methods.includes('passkey') && hasPasskeySupport()
  const recoveryCode = methods.includes('recovery-code') ? 'recovery-code' : null
  const [codeMethod, setCodeMethod] = useState<CodeMethod | null>(hasApp ? 'totp' : hasPasskey ? null : recoveryCode)
  const otherMethod: CodeMethod | null = codeMethod !== 'recovery-code' ? recoveryCode : hasApp ? 'totp' : null
  return (
    <div className="grid gap-5">
      {!hasPasskey && codeMethod === null && (
        <p role="alert" className="text-base">
          Your account needs a passkey here, but this browser does not support passkeys. Use another browser.
        </p>
      )}
      {hasPasskey && <PasskeyButton isPrimary={codeMethod === null} onPasskey={onPasskey} />}
      {codeMethod !== null && (
        <CodeForm key={codeMethod} method={codeMethod} submitLabels={submitLabels} onCode={onCode} />
      )}
      {otherMethod !== null && (
        <Button variant="ghost" onClick={() => setCodeMethod(otherMethod)}>
          {otherMethod === 'totp' ? 'Use the authenticator app' : 'Use a recovery code'}
        </Button>
      )}
    </div>
  )
}

function PasskeyButton({ isPrimary, onPasskey }: { isPrimary: boolean; onPasskey: () => Promise<void> }) {
  const [failure, setFailure] = useState<string | null>(null)
  const [isAsking, setIsAsking] = useState(false)

  async function requestPasskey() {
    setIsAsking(true)
    setFailure(null)
    await onPasskey().catch((error: unknown) => setFailure(describePasskeyFailure(error)))
    setIsAsking(false)
  }

  return (
    <div className="grid gap-2">
      <Button size="lg" variant={isPrimary ? 'primary' : 'secondary'} busy={isAsking} onClick={requestPasskey}>
        <Fingerprint aria-hidden size={18} strokeWidth={2} />
        {isAsking ? 'Waiting for your passkey…' : 'Use a passkey'}
      </Button>
      {failure !== null && <FieldError>{failure}</FieldError>}
    </div>
  )
}

export function CodeForm({
  method,
  submitLabels,
  onCode,
}: Pick<FactorFormProps, 'submitLabels' | 'onCode'> & { method: keyof typeof codeFields }) {
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { code: '' } })
  const { errors, isSubmitting } = formState
  const { label, inputMode, hint } = codeFields[method]

  async function sendCode({ code }: { code: string }) {
    try {
      await onCode(code)
    } catch (error) {
      const message = getErrorMessage(error, 'The code could not be checked. Please try again.')
      setError('code', { message }, { shouldFocus: true })
    }
  }

  return (
    <form method="post" noValidate onSubmit={handleSubmit(sendCode)} className="grid gap-5">
      <TextField
        {...register('code', { required: 'Please enter the code' })}
        id="factor-code"
        label={label}
        hint={hint}
        inputMode={inputMode}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        mono
        error={errors.code?.message}
      />
      <Button type="submit" variant="primary" size="lg" busy={isSubmitting}>
        {isSubmitting ? submitLabels.sending : submitLabels.send}
      </Button>
    </form>
  )
}
