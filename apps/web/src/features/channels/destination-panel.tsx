import type { Destination } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount } from '../../ui/count.ts'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { shortenHex } from '../../ui/short-hex.ts'
import { Time } from '../../ui/time.tsx'
import { kindNames, needsConfirmation } from './channel-texts.ts'
import { ConfirmDestination } from './confirm-destination.tsx'
import { DeleteDialog, RenameDialog, SecretDialog } from './destination-dialogs.tsx'
import { EventChoice } from './event-choice.tsx'
import { MuteDialog } from './mute-dialog.tsx'
import { PushContentChoice } from './push-content-choice.tsx'
import { RulesForm } from './rules-form.tsx'
import { type ShownTest, TestResult } from './test-result.tsx'
import { useDestinationChange } from './use-destination-change.ts'

interface DestinationPanelProps {
  destination: Destination
  test: ShownTest | undefined
  isTesting: boolean
  onTest: () => void
}

const hostLabels: Partial<Record<Destination['kind'], string>> = {
  telegram: 'Chat',
  'web-push': 'Push service',
  email: 'Address',
}

/** Details of one destination: its last test, its properties and its actions. */
export function DestinationPanel({ destination, test, isTesting, onTest }: DestinationPanelProps) {
  const { id, kind, name, host, state, publicKey, createdAt, mutedUntil, delivered, waiting, held, skipped, dead } =
    destination
  const [dialog, setDialog] = useState<'rename' | 'mute' | 'secret' | 'delete' | null>(null)
  const isPaused = state === 'paused'
  const pause = useDestinationChange(() => call('changeDestination', { params: { id }, body: { paused: !isPaused } }))
  const isMuted = useNow((nowMs) => mutedUntil !== null && Date.parse(mutedUntil) > nowMs)
  const mute = useDestinationChange(
    (until: string | null) => call('changeDestination', { params: { id }, body: { mutedUntil: until } }),
    () => setDialog(null),
  )
  const isUnconfirmed = needsConfirmation(destination)
  const close = () => setDialog(null)
  return (
    <Panel
      title={`${kindNames[kind]}, ${name}`}
      flush
      footer={
        <div className="flex flex-wrap gap-2">
          {!isUnconfirmed && (
            <>
              <Button
                busy={mute.isPending}
                onClick={() => mute.mutate(isMuted ? null : new Date(Date.now() + HOUR_MS).toISOString())}
              >
                {isMuted ? 'End the mute' : 'Mute 1 h'}
              </Button>
              {!isMuted && <Button onClick={() => setDialog('mute')}>Mute…</Button>}
              <Button busy={pause.isPending} onClick={() => pause.mutate()}>
                {isPaused ? 'Resume' : 'Pause'}
              </Button>
            </>
          )}
          <Button onClick={() => setDialog('rename')}>Rename…</Button>
          {kind === 'webhook' && <Button onClick={() => setDialog('secret')}>Rotate secret…</Button>}
          <Button variant="danger" onClick={() => setDialog('delete')}>
            Delete…
          </Button>
        </div>
      }
    >
      {isUnconfirmed ? (
        <div className="border-b border-line-1 bg-ink-2 p-5 phone:p-4">
          <ConfirmDestination destination={destination} />
        </div>
      ) : (
        <div className="flex min-h-11 flex-wrap items-center gap-3 border-b border-line-1 bg-ink-2 px-5 py-2 phone:px-4">
          <div className="min-w-40 flex-1">
            {test ? (
              <TestResult test={test} />
            ) : (
              <p className="text-base text-2">Send a test to see how the destination responds.</p>
            )}
          </div>
          <Button size="sm" busy={isTesting} onClick={onTest}>
            {isTesting ? 'Sending…' : 'Send a test'}
          </Button>
        </div>
      )}
      <KeyValueList className="px-5 py-2 phone:px-4">
        <KeyValue label={hostLabels[kind] ?? 'Host'}>{host}</KeyValue>
        <KeyValue label="Added">
          <Time at={createdAt} show="date" />
        </KeyValue>
        <KeyValue label="Last 7 days" plain>
          {formatCount(delivered)} delivered, {formatCount(waiting)} waiting, {formatCount(held)} held,{' '}
          {formatCount(skipped)} skipped, {formatCount(dead)} failed
        </KeyValue>
        {publicKey !== null && (
          <KeyValue label="Public key of v1a signatures">
            <span className="inline-flex items-center gap-1">
              <span title={publicKey}>{shortenHex(publicKey)}</span>
              <CopyButton text={publicKey} label="Copy public key" />
            </span>
          </KeyValue>
        )}
      </KeyValueList>
      {!isUnconfirmed && <EventChoice destination={destination} />}
      {kind === 'web-push' && !isUnconfirmed && <PushContentChoice />}
      {!isUnconfirmed && <RulesForm destination={destination} />}
      {dialog === 'mute' && (
        <MuteDialog title={`Mute ${name}`} isSending={mute.isPending} onMute={mute.mutate} onClose={close} />
      )}
      {dialog === 'rename' && <RenameDialog destination={destination} onClose={close} />}
      {dialog === 'secret' && <SecretDialog destination={destination} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog destination={destination} onClose={close} />}
    </Panel>
  )
}
