import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Destination } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { useConfirmed } from '../../session/confirmed.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { failureOf } from '../settings/use-account-change.ts'
import { channelKey } from './channel-queries.ts'
import { type ShownTest, TestResult } from './test-result.tsx'

type Step = 'Address' | 'Secret' | 'Confirm'
const steps: readonly Step[] = ['Address', 'Secret', 'Confirm']
const FORM_ID = 'new-destination'

interface AddDestinationDialogProps {
  onAdded: (id: string) => void
  onClose: () => void
}

/** Adds a webhook in three steps: its address, its secret, and the challenge that it repeats. */
export function AddDestinationDialog({ onAdded, onClose }: AddDestinationDialogProps) {
  const [step, setStep] = useState<Step>('Address')
  const [created, setCreated] = useState<{ destination: Destination; secret: string } | null>(null)
  const confirmation = useConfirmation(created?.destination.id ?? '')
  const isConfirmed = confirmation.data?.answer.isDelivered === true
  const form = useNewDestination((made) => {
    setCreated(made)
    setStep('Secret')
    onAdded(made.destination.id)
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="Add a webhook"
      description={<Steps current={step} />}
      // An outside click must not close the dialog that shows the secret once.
      locked={step === 'Secret'}
      footer={
        <>
          {step !== 'Secret' && (
            <Button size="lg" variant="ghost" onClick={onClose}>
              {step === 'Address' ? 'Cancel' : isConfirmed ? 'Close' : 'Later'}
            </Button>
          )}
          {step === 'Address' && (
            <Button type="submit" form={FORM_ID} size="lg" variant="primary" busy={form.isSending}>
              {form.isSending ? 'Adding…' : 'Add'}
            </Button>
          )}
          {step === 'Secret' && (
            <Button size="lg" variant="primary" onClick={() => setStep('Confirm')}>
              I have saved it
            </Button>
          )}
          {step === 'Confirm' && !isConfirmed && (
            <Button size="lg" variant="primary" busy={confirmation.isPending} onClick={() => confirmation.mutate()}>
              {confirmation.isPending ? 'Sending…' : 'Send the challenge'}
            </Button>
          )}
        </>
      }
    >
      {step === 'Address' && <AddressForm {...form} />}
      {step === 'Secret' && created && (
        <div className="grid gap-3 text-base">
          <p>Copy the secret of this webhook now: it is not shown again.</p>
          <CodeBlock code={created.secret} copyLabel="Copy secret" />
          <p className="text-2">
            Each message is signed with it by Standard Webhooks 1.0, in the header <code>webhook-signature</code>.
            Libraries for most languages verify it.
          </p>
        </div>
      )}
      {step === 'Confirm' && (
        <div className="grid gap-3 text-base">
          <p>
            The challenge is a message of type <code>channel.challenge</code>. Respond with status 200 and a body that
            contains its <code>data.challenge</code>, for example:
          </p>
          <CodeBlock code={'{ "challenge": "…" }'} copyLabel="Copy example" />
          <p className="text-2">Nothing else is sent before.</p>
          {confirmation.data && <TestResult test={confirmation.data} />}
          {confirmation.error && (
            <FieldError>{failureOf(confirmation.error, 'The challenge could not be sent.')}</FieldError>
          )}
        </div>
      )}
    </Dialog>
  )
}

function Steps({ current }: { current: Step }) {
  return (
    <span className="flex flex-wrap gap-x-4">
      {steps.map((step, index) => (
        <span
          key={step}
          aria-current={step === current ? 'step' : undefined}
          className={classNames(step === current ? 'font-semibold text-1' : 'text-2')}
        >
          {index + 1} {step}
        </span>
      ))}
    </span>
  )
}

function useConfirmation(id: string) {
  const confirmed = useConfirmed()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (): Promise<ShownTest> => {
      const answer = await confirmed(() => call('confirmDestination', { params: { id } }))
      return { answer, at: new Date().toISOString() }
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: channelKey }),
  })
}

function useNewDestination(onCreated: (made: { destination: Destination; secret: string }) => void) {
  const confirmed = useConfirmed()
  const queryClient = useQueryClient()
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { name: '', url: '' } })

  async function add({ name, url }: { name: string; url: string }) {
    const body = { name: name.trim(), url: url.trim() }
    try {
      const made = await confirmed(() => call('createDestination', { body }))
      await queryClient.invalidateQueries({ queryKey: channelKey })
      onCreated(made)
    } catch (error) {
      setError('url', { message: failureOf(error, 'The webhook could not be added.') }, { shouldFocus: true })
    }
  }
  return { register, errors: formState.errors, isSending: formState.isSubmitting, onSubmit: handleSubmit(add) }
}

function AddressForm({ register, errors, onSubmit }: ReturnType<typeof useNewDestination>) {
  return (
    <form id={FORM_ID} method="post" noValidate onSubmit={onSubmit} className="grid gap-5">
      <TextField
        {...register('name', { validate: (value) => value.trim() !== '' || 'Please enter a name' })}
        id="channel-name"
        label="Name"
        hint="Shown only to you."
        autoComplete="off"
        maxLength={60}
        error={errors.name?.message}
      />
      <TextField
        {...register('url', { validate: (value) => value.trim() !== '' || 'Please enter the address' })}
        id="channel-url"
        label="Address"
        hint="A public https address. It gets each alert as signed JSON."
        type="url"
        autoComplete="off"
        maxLength={2_000}
        placeholder="https://bot.example.com/tocsin"
        error={errors.url?.message}
      />
    </form>
  )
}
