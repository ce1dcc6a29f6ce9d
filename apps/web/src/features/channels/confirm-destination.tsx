import { useQueryClient } from '@tanstack/react-query'
import type { ChannelTest, Destination } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { useUser } from '../../session/auth.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { FieldError } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { formatFailure } from '../account/toast-failure.ts'
import { channelKey } from './channel-queries.ts'
import { needsConfirmation } from './channel-texts.ts'
import { findOwnDestinationId, PushRefused, renewDevice } from './push-device.ts'
import { type ShownTest, TestResult } from './test-result.tsx'

const sendLabels: Record<Destination['kind'], string> = {
  'web-push': 'Send a code',
  webhook: 'Send the challenge',
  discord: 'Send a code',
  slack: 'Send a code',
  ntfy: 'Send a code',
  telegram: 'Create a link',
  email: 'Send a code',
}

/**
 * Confirms that the owner of a destination wants to receive alerts there. A destination receives no
 * alerts before it is confirmed. `usePushConfirmation` enters the code of this browser.
 */
export function ConfirmDestination({ destination }: { destination: Destination }) {
  const { id, kind, state } = destination
  const queryClient = useQueryClient()
  const [sentTest, setSentTest] = useState<{ shown: ShownTest; link: string | undefined } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [code, setCode] = useState('')

  const { id: accountId } = useUser()
  const isOwnSubscriptionGone = kind === 'web-push' && state === 'gone' && findOwnDestinationId(accountId) === id

  async function subscribeAgain(): Promise<void> {
    const { pushKey } = await queryClient.ensureQueryData(queries.config)
    await renewDevice(accountId, pushKey ?? '', true)
  }

  const confirm = (body: { code?: string }) =>
    runAction(async () => {
      const result: ChannelTest = await call('confirmDestination', { params: { id }, body })
      setSentTest({ shown: { result, at: new Date().toISOString() }, link: result.link })
    })

  async function runAction(work: () => Promise<void>): Promise<void> {
    setIsBusy(true)
    setError(null)
    try {
      await work()
    } catch (failure) {
      setError(
        failure instanceof PushRefused
          ? failure.message
          : formatFailure(failure, 'The destination could not be confirmed. Please try again.'),
      )
    } finally {
      setIsBusy(false)
      await queryClient.invalidateQueries({ queryKey: channelKey })
    }
  }

  if (!needsConfirmation(destination)) {
    return (
      <p className="text-base">
        {destination.state === 'paused'
          ? 'The destination is confirmed and gets new alerts when you resume it.'
          : 'The destination is confirmed and gets new alerts from now on.'}
      </p>
    )
  }
  const takesCode = kind !== 'webhook' && kind !== 'telegram'
  return (
    <div className="grid gap-3 text-base">
      <Explanation kind={kind} />
      {sentTest && <TestResult test={sentTest.shown} />}
      {sentTest?.link !== undefined && (
        <p>
          <a href={sentTest.link} target="_blank" rel="noreferrer" className="link wrap-anywhere">
            {sentTest.link}
          </a>
        </p>
      )}
      {takesCode && sentTest?.shown.result.isDelivered && (
        <form
          noValidate
          className="flex flex-wrap items-end gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            if (code.trim() === '') setError('Please enter the code')
            else void confirm({ code: code.trim() })
          }}
        >
          <TextField
            id={`code-${id}`}
            label="Code"
            value={code}
            onChange={({ target }) => setCode(target.value)}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
            mono
            className="w-40"
          />
          <Button type="submit" variant="primary" size="lg" busy={isBusy}>
            Confirm
          </Button>
        </form>
      )}
      {error !== null && <FieldError>{error}</FieldError>}
      <div>
        {isOwnSubscriptionGone ? (
          <Button busy={isBusy} onClick={() => void runAction(subscribeAgain)}>
            Subscribe this browser again
          </Button>
        ) : (
          <Button busy={isBusy} onClick={() => void confirm({})}>
            {isBusy ? 'Sending…' : sentTest === null ? sendLabels[kind] : `${sendLabels[kind]} again`}
          </Button>
        )}
      </div>
    </div>
  )
}

function Explanation({ kind }: Pick<Destination, 'kind'>) {
  if (kind === 'webhook') {
    return (
      <>
        <p>
          The challenge is a message of type <code>channel.challenge</code>. Respond with status 200 and its{' '}
          <code>data.challenge</code> alone, as text or like this:
        </p>
        <CodeBlock code={'{ "challenge": "…" }'} copyLabel="Copy example" />
      </>
    )
  }
  if (kind === 'telegram') {
    return (
      <p>
        Open the link and press Start. For a group, add the bot, then send <code>/start</code> and the code from the end
        of the link in the group. The code is valid for 15 minutes.
      </p>
    )
  }
  if (kind === 'web-push') {
    return (
      <p>
        A code is pushed to the device. If the device is this browser, the page enters the code itself. Otherwise, enter
        the code from the notification here within 15 minutes.
      </p>
    )
  }
  return <p>A code is sent to the destination. Enter it here within 15 minutes to confirm the destination.</p>
}
