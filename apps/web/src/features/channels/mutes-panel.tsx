import type { Destination } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCountOf } from '../../ui/count.ts'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { kindNames, needsConfirmation } from './channel-texts.ts'
import { MuteDialog } from './mute-dialog.tsx'
import { useDestinationChange } from './use-destination-change.ts'

/** Lists the destinations that are muted now. Its buttons mute or pause all destinations. */
export function MutesPanel({ destinations }: { destinations: readonly Destination[] }) {
  const [isMuting, setIsMuting] = useState(false)
  const mutedIds = useNow((nowMs) =>
    destinations
      .filter(({ mutedUntil }) => mutedUntil !== null && Date.parse(mutedUntil) > nowMs)
      .map(({ id }) => id)
      .join(' '),
  )
  const shownDestinations = destinations.filter(({ id }) => mutedIds.split(' ').includes(id))
  const confirmedDestinations = destinations.filter((destination) => !needsConfirmation(destination))
  const isPaused = confirmedDestinations.length > 0 && confirmedDestinations.every(({ state }) => state === 'paused')
  const changeAll = useDestinationChange(
    (body: { mutedUntil?: string | null; paused?: boolean }) => call('changeAllDestinations', { body }),
    ({ message }) => {
      setIsMuting(false)
      toast({ title: 'Done', description: message, variant: 'success' })
    },
  )
  if (confirmedDestinations.length === 0) return null
  return (
    <Panel title="Mutes" detail="Every mute ends automatically" flush>
      <ul className="divide-y divide-line-1">
        {shownDestinations.map((destination) => (
          <MutedRow key={destination.id} destination={destination} />
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2 px-5 py-3 phone:px-4">
        <Button size="sm" onClick={() => setIsMuting(true)}>
          Mute all…
        </Button>
        {shownDestinations.length > 1 && (
          <Button size="sm" busy={changeAll.isPending} onClick={() => changeAll.mutate({ mutedUntil: null })}>
            End all mutes
          </Button>
        )}
        <Button size="sm" busy={changeAll.isPending} onClick={() => changeAll.mutate({ paused: !isPaused })}>
          {isPaused ? 'Resume all' : 'Pause all'}
        </Button>
      </div>
      {isMuting && (
        <MuteDialog
          title="Mute all destinations"
          isSending={changeAll.isPending}
          onMute={(mutedUntil) => changeAll.mutate({ mutedUntil })}
          onClose={() => setIsMuting(false)}
        />
      )}
    </Panel>
  )
}

function MutedRow({ destination: { id, kind, name, mutedUntil, held } }: { destination: Destination }) {
  const endMute = useDestinationChange(() => call('changeDestination', { params: { id }, body: { mutedUntil: null } }))
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-5 py-2 text-base phone:px-4">
      <span className="min-w-40 flex-1">
        {kindNames[kind]}, {name}{' '}
        <span className="text-2">
          is quiet until {mutedUntil !== null && <Time at={mutedUntil} mono={false} />}, {formatCountOf(held, 'alert')}{' '}
          held so far
        </span>
      </span>
      <Button
        size="sm"
        busy={endMute.isPending}
        aria-label={`End the mute of ${name}`}
        onClick={() => endMute.mutate()}
      >
        End now
      </Button>
    </li>
  )
}
