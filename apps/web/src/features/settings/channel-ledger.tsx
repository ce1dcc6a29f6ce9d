import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ChannelDelivery, Destination } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { ReadState } from './read-state.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { toastFailure } from './use-account-change.ts'

const stateNames = { waiting: 'Waiting', delivered: 'Delivered', skipped: 'Skipped', dead: 'Failed' } as const

/** What became of each alert at a destination. */
export function ChannelLedger({ destination: { id, name, state } }: { destination: Destination }) {
  const [show, setShow] = useState<'all' | 'open'>('all')
  const ledger = useQuery({
    queryKey: ['/api/channels', id, show],
    queryFn: ({ signal }) => call('listChannelDeliveries', { params: { id }, query: { show }, signal }),
    staleTime: 0,
    refetchInterval: 10_000,
  })
  return (
    <Panel
      title={`Ledger of ${name}`}
      flush
      right={
        <Button size="sm" aria-pressed={show === 'open'} onClick={() => setShow(show === 'open' ? 'all' : 'open')}>
          Not delivered
        </Button>
      }
      footer="The newest 50. Deliveries are kept for 30 days."
    >
      <ReadState query={ledger} what="the ledger" rows={3}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="px-5 py-4 text-base text-2 phone:px-4">No alert was due here yet.</p>
          ) : (
            <SettingRows>
              {rows.map((row) => (
                <LedgerRow key={row.id} row={row} destinationId={id} mayResend={state === 'on'} />
              ))}
            </SettingRows>
          )
        }
      </ReadState>
    </Panel>
  )
}

function LedgerRow({
  row,
  destinationId,
  mayResend,
}: {
  row: ChannelDelivery
  destinationId: string
  mayResend: boolean
}) {
  const queryClient = useQueryClient()
  const { logIndex, state, reason, createdAt, nextAt, attempts } = row
  const resend = useMutation({
    mutationFn: () => call('redeliver', { params: { id: destinationId }, body: { index: logIndex } }),
    onSuccess: async ({ message }) => {
      toast({ title: 'Requested', description: message, variant: 'success' })
      await queryClient.invalidateQueries({ queryKey: queries.destinations.queryKey })
    },
    onError: (error) => toastFailure(error, 'The alert could not be sent again. Please try again.'),
  })
  return (
    <SettingRow
      label={
        <>
          #{logIndex.toLocaleString('en-US')} {stateNames[state]}
        </>
      }
      detail={
        <>
          <Time at={createdAt} />. {reason}.
          {nextAt !== null && (
            <>
              {' '}
              Next attempt <Time at={nextAt} show="relative" />.
            </>
          )}
          {attempts.map((attempt) => (
            <p key={attempt.at}>
              <Time at={attempt.at} />: {attempt.status ?? 'no response'} in {attempt.tookMs} ms. {attempt.response}
            </p>
          ))}
        </>
      }
    >
      {mayResend && state !== 'waiting' && (
        <Button busy={resend.isPending} aria-label={`Send #${logIndex} again`} onClick={() => resend.mutate()}>
          Send again
        </Button>
      )}
    </SettingRow>
  )
}
