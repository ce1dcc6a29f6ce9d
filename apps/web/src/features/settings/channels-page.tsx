import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ChannelTest, type Destination, mostDestinations } from '@tocsin/protocol'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { useConfirmed } from '../../session/confirmed.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { ChannelLedger } from './channel-ledger.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { failureOf, toastFailure } from './use-account-change.ts'

/** Where alerts are sent outside of these pages, and what became of each. */
export function ChannelsPage() {
  const destinations = useQuery(queries.destinations)
  const [isAdding, setIsAdding] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [openId, setOpenId] = useState<string | null>(null)
  const list = destinations.data ?? []
  const open = list.find(({ id }) => id === openId)
  return (
    <>
      <h1 className="text-h1">Channels</h1>
      <p className="mt-1 mb-6 text-body text-2">
        Alerts reach your programs when no page is open. <SiteLink href={paths.settings}>All settings</SiteLink>
      </p>
      <div className="grid gap-4">
        <Panel
          title="Destinations"
          flush
          right={
            <Button size="sm" variant="primary" onClick={() => setIsAdding(true)}>
              Add a webhook
            </Button>
          }
          footer={`${list.length} of ${mostDestinations}. Figures are of the last 7 days.`}
        >
          <ReadState query={destinations} what="your destinations" rows={2}>
            {(rows) =>
              rows.length === 0 ? (
                <p className="px-5 py-4 text-base text-2 phone:px-4">
                  No destination yet. A webhook gets each alert as signed JSON.
                </p>
              ) : (
                <SettingRows>
                  {rows.map((row) => (
                    <DestinationRow
                      key={row.id}
                      destination={row}
                      onSecret={setSecret}
                      onOpen={() => setOpenId(row.id)}
                    />
                  ))}
                </SettingRows>
              )
            }
          </ReadState>
        </Panel>
        {secret !== null && (
          <Panel title="Secret of the webhook">
            <p className="mb-3 text-base text-2">
              Copy it now: it is not shown again. Messages are signed with it by Standard Webhooks 1.0.
            </p>
            <CodeBlock code={secret} copyLabel="Copy secret" />
            <Button className="mt-3" onClick={() => setSecret(null)}>
              I have saved it
            </Button>
          </Panel>
        )}
        {open && <ChannelLedger destination={open} />}
      </div>
      {isAdding && <AddDialog onAdded={setSecret} onClose={() => setIsAdding(false)} />}
    </>
  )
}

const tones: Record<Destination['state'], BadgeTone> = {
  on: 'ok',
  unconfirmed: 'neutral',
  paused: 'neutral',
  failing: 'medium',
  gone: 'critical',
}
const stateNames: Record<Destination['state'], string> = {
  on: 'On',
  unconfirmed: 'Not confirmed',
  paused: 'Paused',
  failing: 'Failing',
  gone: 'Gone',
}

interface RowProps {
  destination: Destination
  onSecret: (secret: string) => void
  onOpen: () => void
}

function DestinationRow({ destination, onSecret, onOpen }: RowProps) {
  const { id, name, host, state } = destination
  const params = { id }
  const [answer, setAnswer] = useState<ChannelTest | null>(null)
  const needsConfirmation = state === 'unconfirmed' || state === 'gone'
  const test = useChange(
    () => call(needsConfirmation ? 'confirmDestination' : 'testDestination', { params }),
    setAnswer,
  )
  const pause = useChange(() => call('changeDestination', { params, body: { paused: state !== 'paused' } }))
  const remove = useChange(() => call('deleteDestination', { params }))
  const rotate = useChange(
    () => call('rotateDestinationSecret', { params }),
    (made) => onSecret(made.secret),
  )
  return (
    <SettingRow
      label={
        <span className="flex flex-wrap items-center gap-2">
          {name}
          <Badge tone={tones[state]}>{stateNames[state]}</Badge>
        </span>
      }
      detail={
        <>
          {host}. <Health destination={destination} />
          {answer && (
            <p role="status">
              {answer.message} {answer.status ?? 'No response'} in {(answer.tookMs / 1_000).toFixed(2)} s:{' '}
              {answer.response}
            </p>
          )}
        </>
      }
    >
      <Button
        busy={test.isPending}
        onClick={() => test.mutate()}
        aria-label={`${needsConfirmation ? 'Confirm' : 'Test'} ${name}`}
      >
        {needsConfirmation ? 'Confirm' : 'Send a test'}
      </Button>
      <Button onClick={onOpen} aria-label={`Ledger of ${name}`}>
        Ledger
      </Button>
      {!needsConfirmation && (
        <Button
          busy={pause.isPending}
          onClick={() => pause.mutate()}
          aria-label={`${state === 'paused' ? 'Resume' : 'Pause'} ${name}`}
        >
          {state === 'paused' ? 'Resume' : 'Pause'}
        </Button>
      )}
      <Button busy={rotate.isPending} onClick={() => rotate.mutate()} aria-label={`New secret for ${name}`}>
        New secret
      </Button>
      <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()} aria-label={`Delete ${name}`}>
        Delete
      </Button>
    </SettingRow>
  )
}

function Health({ destination }: { destination: Destination }) {
  const { state, delivered, waiting, skipped, dead, lastDeliveredAt, medianMs, failingSince } = destination
  if (state === 'unconfirmed') return 'Confirm sends a challenge that the webhook has to repeat in its response.'
  return (
    <>
      {lastDeliveredAt ? (
        <>
          Last delivered <Time at={lastDeliveredAt} show="relative" />
          {medianMs !== null && `, median ${(medianMs / 1_000).toFixed(2)} s`}.
        </>
      ) : (
        'Nothing delivered yet.'
      )}{' '}
      {delivered} delivered, {waiting} waiting, {skipped} skipped, {dead} failed.
      {failingSince && (
        <>
          {' '}
          Failing since <Time at={failingSince} />.
        </>
      )}
    </>
  )
}

/** Runs a call, confirms the user's identity if needed, and reloads the destinations. */
function useChange<Answer>(run: () => Promise<Answer>, onDone?: (answer: Answer) => void) {
  const confirmed = useConfirmed()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => confirmed(run),
    onSuccess: async (answer) => {
      onDone?.(answer)
      await queryClient.invalidateQueries({ queryKey: queries.destinations.queryKey })
    },
    onError: (error) => toastFailure(error, 'The destination could not be changed. Please try again.'),
  })
}

function AddDialog({ onAdded, onClose }: { onAdded: (secret: string) => void; onClose: () => void }) {
  const confirmed = useConfirmed()
  const queryClient = useQueryClient()
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { name: '', url: '' } })
  const { errors, isSubmitting } = formState

  async function add(body: { name: string; url: string }) {
    try {
      const { secret } = await confirmed(() => call('createDestination', { body }))
      await queryClient.invalidateQueries({ queryKey: queries.destinations.queryKey })
      onAdded(secret)
      toast({ title: 'Webhook Added', description: 'Save its secret, then confirm it.', variant: 'success' })
      onClose()
    } catch (error) {
      setError('url', { message: failureOf(error, 'The webhook could not be added.') }, { shouldFocus: true })
    }
  }

  return (
    <FormDialog
      title="Add a webhook"
      description="The next steps: save the secret, then confirm. Nothing is sent before."
      words={{ send: 'Add', sending: 'Adding…' }}
      isSending={isSubmitting}
      error={undefined}
      onSubmit={handleSubmit(add)}
      onClose={onClose}
    >
      <TextField
        {...register('name', { required: 'Please enter a name' })}
        id="channel-name"
        label="Name"
        autoComplete="off"
        error={errors.name?.message}
      />
      <TextField
        {...register('url', { required: 'Please enter the address' })}
        id="channel-url"
        label="Address (https)"
        type="url"
        autoComplete="off"
        error={errors.url?.message}
      />
    </FormDialog>
  )
}
