import { zodResolver } from '@hookform/resolvers/zod'
import { type ApiKey, apiKeyLimits, apiKeyScopes } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError, call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldError } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { formatFailure } from '../account/toast-failure.ts'
import {
  type ApiKeyDraft,
  type ApiKeyForm,
  apiKeyForm,
  countRequestsLeft,
  createApiKeyDraft,
  createApiKeyRequest,
  expiryOptions,
  scopeLabels,
} from './api-key-form.ts'
import { useAccountRefresh } from './use-account-change.ts'

interface CreateApiKeyDialogProps {
  existing: readonly ApiKey[]
  onClose: () => void
}

const FORM_ID = 'new-api-key'

/** Creates a key and shows it once. */
export function CreateApiKeyDialog({ existing, onClose }: CreateApiKeyDialogProps) {
  const [requestsLeft] = useState(() => countRequestsLeft(existing, Date.now()))
  const [secret, setSecret] = useState<string | null>(null)
  const form = useNewKey(requestsLeft, setSecret)
  return (
    <Dialog
      onOpenChange={onClose}
      title={secret === null ? 'Create an API key' : 'Copy your API key'}
      description={
        secret === null
          ? 'For a program that uses this account’s plan. We notify you of the new key by email.'
          : 'Copy it now: it is not shown again.'
      }
      // Lock the dialog while the key is shown, because it is shown only once, and while the server
      // creates the key.
      locked={secret !== null || form.isSending}
      footer={
        secret === null ? (
          <>
            <Button size="lg" variant="ghost" disabled={form.isSending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" form={FORM_ID} size="lg" variant="primary" busy={form.isSending}>
              {form.isSending ? 'Creating…' : 'Create'}
            </Button>
          </>
        ) : (
          <Button size="lg" variant="primary" onClick={onClose}>
            I have saved it
          </Button>
        )
      }
    >
      {secret === null ? <NewKeyForm {...form} requestsLeft={requestsLeft} /> : <CreatedKey secret={secret} />}
    </Dialog>
  )
}

function CreatedKey({ secret }: { secret: string }) {
  return (
    <div className="grid gap-3 text-base">
      <CodeBlock code={secret} copyLabel="Copy API key" />
      <p className="text-2">
        Programs send it in the header <code>Authorization: Bearer</code>. Anyone who has the key can read alerts in
        your name, so keep it out of source code and URLs.
      </p>
    </div>
  )
}

function useNewKey(requestsLeft: number, onCreated: (secret: string) => void) {
  const withReauthentication = useReauthentication()
  const refresh = useAccountRefresh()
  const { register, handleSubmit, setError, formState } = useForm<ApiKeyDraft, unknown, ApiKeyForm>({
    resolver: zodResolver(apiKeyForm),
    defaultValues: createApiKeyDraft(requestsLeft),
  })

  async function create(form: ApiKeyForm) {
    try {
      const { secret } = await withReauthentication(() => call('createApiKey', { body: createApiKeyRequest(form) }))
      onCreated(secret)
      await refresh()
    } catch (error) {
      const message = formatFailure(error, 'The key could not be created. Please try again.')
      const isOverLimit = error instanceof ApiError && error.details.requestsLeft !== undefined
      if (isOverLimit) setError('requestsPerMinute', { message }, { shouldFocus: true })
      else setError('root', { message })
    }
  }
  return { register, errors: formState.errors, isSending: formState.isSubmitting, onSubmit: handleSubmit(create) }
}

function NewKeyForm({
  register,
  errors,
  onSubmit,
  requestsLeft,
}: ReturnType<typeof useNewKey> & { requestsLeft: number }) {
  return (
    <form id={FORM_ID} method="post" noValidate onSubmit={onSubmit} className="grid gap-5">
      <TextField
        {...register('name')}
        id="api-key-name"
        label="Name"
        hint="Shown only to you, for example “Desk bot”."
        autoComplete="off"
        maxLength={60}
        error={errors.name?.message}
      />
      <fieldset aria-describedby={errors.scopes ? 'api-key-scopes-message' : undefined} className="min-w-0">
        <legend className="mb-1 text-base font-medium touch:text-body">Permissions</legend>
        <div className="grid gap-2">
          {apiKeyScopes.map((scope) => (
            <Checkbox
              key={scope}
              {...register('scopes')}
              value={scope}
              label={
                <>
                  <span className="block">{scopeLabels[scope].name}</span>
                  <span className="block text-hint text-2">{scopeLabels[scope].allows}</span>
                </>
              }
            />
          ))}
        </div>
        {errors.scopes && <FieldError id="api-key-scopes-message">{errors.scopes.message}</FieldError>}
      </fieldset>
      <SelectField {...register('expiry')} id="api-key-expiry" label="Expires after">
        {expiryOptions.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <TextField
        {...register('requestsPerMinute')}
        id="api-key-requests"
        label="Requests per minute"
        hint={`All your keys share ${apiKeyLimits.requestsPerMinute}; ${requestsLeft} are left.`}
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        error={errors.requestsPerMinute?.message}
      />
      {errors.root && <FieldError>{errors.root.message}</FieldError>}
    </form>
  )
}
