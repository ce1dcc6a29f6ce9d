import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Destination, type DestinationKind, destinationKinds } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { readSubscriptionKeys } from '../../browser/push-subscription.ts'
import { useUser } from '../../session/auth.tsx'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { formatFailure } from '../account/toast-failure.ts'
import { channelKey, destinationsQuery } from './channel-queries.ts'
import { kindNames, needsConfirmation } from './channel-texts.ts'
import { ConfirmDestination } from './confirm-destination.tsx'
import {
  createDeviceName,
  findOwnDestinationId,
  getPushSupport,
  PushRefused,
  rememberDevice,
  renewDevice,
  subscribePush,
} from './push-device.ts'
import { PushSetup } from './setup/push-setup.tsx'
import { SetupSteps } from './setup/setup-steps.tsx'

type Step = 'Address' | 'Secret' | 'Confirm'
const FORM_ID = 'new-destination'

interface AddDestinationDialogProps {
  onAdded: (id: string) => void
  onClose: () => void
}

/**
 * Adds a destination in steps: the user enters its address, saves the secret of a webhook, and
 * confirms the destination.
 */
export function AddDestinationDialog({ onAdded, onClose }: AddDestinationDialogProps) {
  const [step, setStep] = useState<Step>('Address')
  const [creation, setCreation] = useState<{ destination: Destination; secret: string | null } | null>(null)
  const { data: destinations = [] } = useQuery(destinationsQuery)
  const form = useNewDestination((made) => {
    setCreation(made)
    setStep(made.secret === null ? 'Confirm' : 'Secret')
    onAdded(made.destination.id)
  })
  // Prefer the destination of the polled list: its state changes when a Telegram chat is linked.
  const currentDestination = destinations.find(({ id }) => id === creation?.destination.id) ?? creation?.destination
  // False for web push, so that the dialog is not locked: the user may never answer the browser's
  // permission prompt.
  const isAdding = form.isSending && form.kind !== 'web-push'
  const steps: Step[] = form.kind === 'webhook' ? ['Address', 'Secret', 'Confirm'] : ['Address', 'Confirm']
  return (
    <Dialog
      onOpenChange={onClose}
      size="lg"
      title="Add a destination"
      description={<Steps steps={steps} current={step} />}
      // The secret is shown only once, so the dialog must not be closed by accident, nor before the
      // server has answered.
      locked={step === 'Secret' || isAdding}
      footer={
        step === 'Secret' ? (
          <Button size="lg" variant="primary" onClick={() => setStep('Confirm')}>
            I have saved it
          </Button>
        ) : (
          <>
            <Button size="lg" variant="ghost" disabled={isAdding} onClick={onClose}>
              {step === 'Address'
                ? 'Cancel'
                : currentDestination && needsConfirmation(currentDestination)
                  ? 'Later'
                  : 'Done'}
            </Button>
            {step === 'Address' && (form.kind !== 'web-push' || getPushSupport() === 'ready') && (
              <Button type="submit" form={FORM_ID} size="lg" variant="primary" busy={form.isSending}>
                {form.isSending ? 'Adding…' : 'Add'}
              </Button>
            )}
          </>
        )
      }
    >
      {step === 'Address' && <AddressForm {...form} />}
      {step === 'Secret' && creation && creation.secret !== null && (
        <div className="grid gap-3 text-base">
          <p>Copy the secret of this webhook now: it is not shown again.</p>
          <CodeBlock code={creation.secret} copyLabel="Copy secret" />
          <p className="text-2">
            Each message is signed with this secret as in Standard Webhooks 1.0. Libraries for most languages verify the
            signature, which is in the header <code>webhook-signature</code>.
          </p>
        </div>
      )}
      {step === 'Confirm' && currentDestination && <ConfirmDestination destination={currentDestination} />}
    </Dialog>
  )
}

function Steps({ steps, current }: { steps: readonly Step[]; current: Step }) {
  return (
    <span className="flex flex-wrap gap-x-4">
      {steps.map((step, index) => (
        <span
          key={step}
          aria-current={step === current ? 'step' : undefined}
          className={step === current ? 'font-semibold text-1' : 'text-2'}
        >
          {index + 1} {step}
        </span>
      ))}
    </span>
  )
}

interface NewDestination {
  kind: DestinationKind
  name: string
  url: string
  token: string
}

function useNewDestination(onCreated: (made: { destination: Destination; secret: string | null }) => void) {
  const withReauthentication = useReauthentication()
  const queryClient = useQueryClient()
  const { id: accountId } = useUser()
  const { register, handleSubmit, setError, formState, watch } = useForm<NewDestination>({
    defaultValues: { kind: 'webhook', name: '', url: '', token: '' },
  })

  async function addDestination({ kind, name, url, token }: NewDestination) {
    if (kind === 'web-push') return addThisDevice(name.trim())
    const body = {
      kind,
      name: name.trim(),
      ...(kind === 'telegram' ? {} : kind === 'email' ? { address: url.trim() } : { url: url.trim() }),
      ...(kind === 'ntfy' && token.trim() !== '' ? { token: token.trim() } : {}),
    }
    try {
      const creation = await withReauthentication(() => call('createDestination', { body }))
      await queryClient.invalidateQueries({ queryKey: channelKey })
      onCreated(creation)
    } catch (error) {
      const field = kind === 'telegram' ? 'name' : 'url'
      setError(
        field,
        { message: formatFailure(error, 'The destination could not be added. Please try again.') },
        { shouldFocus: true },
      )
    }
  }
  async function addThisDevice(name: string) {
    try {
      const { pushKey } = await queryClient.ensureQueryData(queries.config)
      // If this browser is already a destination, renew it. A browser has only one subscription, so
      // a second destination would end the first one.
      await renewDevice(accountId, pushKey ?? '', true)
      const ownId = findOwnDestinationId(accountId)
      const ownDestination = ownId !== null && (await call('listDestinations')).find(({ id }) => id === ownId)
      if (ownDestination) {
        const destination = { ...ownDestination, name: name || ownDestination.name }
        if (destination.name !== ownDestination.name)
          await call('changeDestination', { params: { id: ownId }, body: { name } })
        await queryClient.invalidateQueries({ queryKey: channelKey })
        return onCreated({ destination, secret: null })
      }
      // Subscribe first, because browsers ask for the permission only right after a click.
      const subscription = await subscribePush(pushKey ?? '')
      const body = {
        kind: 'web-push' as const,
        name: name || createDeviceName(),
        subscription: readSubscriptionKeys(subscription),
      }
      const create = () => call('createDestination', { body })
      const createdDestination = await withReauthentication(create).catch(async (error: unknown) => {
        await subscription.unsubscribe()
        throw error
      })
      rememberDevice({ accountId, destinationId: createdDestination.destination.id }, subscription, pushKey ?? '')
      await queryClient.invalidateQueries({ queryKey: channelKey })
      onCreated(createdDestination)
    } catch (error) {
      const message =
        error instanceof PushRefused
          ? error.message
          : formatFailure(error, 'The device could not be added. Please try again.')
      setError('name', { message })
    }
  }
  const { errors, isSubmitting } = formState
  return { register, errors, isSending: isSubmitting, kind: watch('kind'), onSubmit: handleSubmit(addDestination) }
}

const addressTexts: Record<Exclude<DestinationKind, 'telegram' | 'web-push'>, { hint: string; example: string }> = {
  webhook: {
    hint: 'A public https address. It gets each alert as signed JSON.',
    example: 'https://bot.example.com/tocsin',
  },
  discord: { hint: 'The URL of the webhook.', example: 'https://discord.com/api/webhooks/…' },
  slack: { hint: 'The URL of the incoming webhook.', example: 'https://hooks.slack.com/services/…' },
  email: {
    hint: 'We first send a confirmation code to this address. Each email has a link to unsubscribe.',
    example: 'name@example.com',
  },
  ntfy: {
    hint: 'Server and topic. Everyone who knows a topic can read it, so choose a name that cannot be guessed.',
    example: 'https://ntfy.sh/my-secret-topic',
  },
}

function AddressForm({ register, errors, kind, onSubmit }: ReturnType<typeof useNewDestination>) {
  const { data: config } = useQuery(queries.config)
  const isAvailable = (each: DestinationKind) => {
    if (each === 'telegram') return config?.telegram === true
    return each !== 'web-push' || typeof config?.pushKey === 'string'
  }
  const availableKinds = destinationKinds.filter(isAvailable)
  return (
    <form id={FORM_ID} method="post" noValidate onSubmit={onSubmit} className="grid gap-5">
      <SelectField {...register('kind')} id="channel-kind" label="Kind">
        {availableKinds.map((each) => (
          <option key={each} value={each}>
            {kindNames[each]}
          </option>
        ))}
      </SelectField>
      {kind === 'web-push' ? <PushSetup support={getPushSupport()} /> : <SetupSteps kind={kind} />}
      <TextField
        {...register('name', {
          validate: (value) => kind === 'web-push' || value.trim() !== '' || 'Please enter a name',
        })}
        id="channel-name"
        label="Name"
        hint="Shown only to you."
        placeholder={kind === 'web-push' ? createDeviceName() : undefined}
        autoComplete="off"
        maxLength={60}
        error={errors.name?.message}
      />
      {kind !== 'telegram' && kind !== 'web-push' && (
        <TextField
          {...register('url', { validate: (value) => value.trim() !== '' || 'Please enter the address' })}
          id="channel-url"
          label={kind === 'email' ? 'Email address' : 'Address'}
          hint={addressTexts[kind].hint}
          type={kind === 'email' ? 'email' : 'url'}
          autoComplete="off"
          maxLength={2_000}
          placeholder={addressTexts[kind].example}
          error={errors.url?.message}
        />
      )}
      {kind === 'ntfy' && (
        <TextField
          {...register('token')}
          id="channel-token"
          label="Access token"
          aside="Optional"
          hint="Only if the topic is protected."
          autoComplete="off"
          maxLength={200}
        />
      )}
    </form>
  )
}
