import type { Destination } from '@tocsin/protocol'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { formatCountOf } from '../../ui/count.ts'
import { Time } from '../../ui/time.tsx'
import { Notice } from '../account/notice.tsx'
import { useRedelivery } from './use-destination-change.ts'

/** Warns the owner if a destination is failing, is gone, or has missed alerts. */
export function DestinationNotice({ destination }: { destination: Destination }) {
  const { kind, name, state, failingSince, waiting, missed, missedFrom } = destination
  if (state === 'gone') {
    return (
      <Problem title={`${name} was removed or has blocked Tocsin`}>
        The receiving service reports that this destination no longer exists or has blocked Tocsin. Confirm it again or
        delete it.
      </Problem>
    )
  }
  if (failingSince !== null) {
    const hasStopped = state === 'failing'
    return (
      <Problem
        title={
          <>
            {name} has failed since <Time at={failingSince} />
          </>
        }
      >
        {hasStopped
          ? 'No alerts are sent while it fails. Tocsin retries once an hour and resumes after the first success.'
          : `${formatCountOf(waiting, 'alert waits', 'alerts wait')}. Tocsin retries each alert for ${kind === 'webhook' || kind === 'email' ? '38 hours' : '15 minutes'}.`}
      </Problem>
    )
  }
  return state === 'on' && missedFrom !== null && missed > 0 ? (
    <MissedNotice destination={destination} index={missedFrom} />
  ) : null
}

function MissedNotice({ destination: { id, name, missed }, index }: { destination: Destination; index: number }) {
  const resend = useRedelivery(id, { index, andLater: true })
  return (
    <Problem
      title={`${name} works again`}
      action={
        <Button busy={resend.isPending} onClick={() => resend.mutate()}>
          {resend.isPending ? 'Requesting…' : 'Send missed alerts'}
        </Button>
      }
    >
      {formatCountOf(missed, 'alert was', 'alerts were')} not sent while the destination failed.
    </Problem>
  )
}

function Problem({ title, action, children }: { title: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <Notice tone="medium" icon={TriangleAlert} title={title} actions={action}>
      {children}
    </Notice>
  )
}
