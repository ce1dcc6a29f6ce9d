import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getChain, type ProtectedChange, type ProtectedState } from '@tocsin/protocol'
import { call } from '../../api/api.ts'
import { useUser } from '../../session/auth.tsx'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { useAllowed } from './allowed.tsx'
import { ProposeButton } from './propose-change-dialog.tsx'
import { formatChangeOutcome, formatChangeTitle, formatProtectedValue } from './protected-texts.ts'
import { refreshAfterChange } from './refresh.ts'

/**
 * Settings that need the approval of a second admin: chain, treasury and signer. Renders nothing
 * while the two-admin rule is off.
 */
export function ProtectedPanel() {
  const query = useQuery(adminQueries.protected)
  const { data } = query
  const mayChange = useAllowed('settings.change')
  if (!data && query.error) {
    return (
      <Panel title="Two-admin rule">
        <AdminQueryError fallback="Failed to fetch the two-admin rule" query={query} />
      </Panel>
    )
  }
  if (!data?.isOn) return null
  return (
    <Panel
      title="Two-admin rule"
      actions={mayChange && <ProposeButton state={data} />}
      flush
      footer={`A second admin approves each change, and it takes effect ${data.delayHours} hours later.`}
    >
      <Values state={data} />
      {data.changes.length === 0 ? (
        <p className="border-t border-line-1 px-5 py-3 text-base text-2 phone:px-4">No change has been proposed.</p>
      ) : (
        <ul aria-label="Changes" className="divide-y divide-line-1 border-t border-line-1">
          {data.changes.map((change) => (
            <ChangeRow key={change.id} change={change} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Values({ state: { treasuries, signer } }: { state: ProtectedState }) {
  return (
    <dl className="grid gap-3 px-5 py-4 text-base phone:px-4">
      {treasuries.map(({ chainId, address, approved, configured }) => (
        <div key={chainId}>
          <dt className="text-2">Treasury, {getChain(chainId).name}</dt>
          <dd className="font-mono text-data wrap-anywhere">{address ?? '—'}</dd>
          {approved !== null && approved !== address && (
            <dd className="text-hint text-medium wrap-anywhere">
              {approved} is approved, but this server does not use it yet. Restart every instance.
              {address !== null && ` Until then, payments go to ${address}.`}
            </dd>
          )}
          {configured !== null && configured !== address && configured !== approved && (
            <dd className="text-hint text-medium wrap-anywhere">
              The environment variable is set to {configured}. This address is not used until two admins have approved
              it and the server was restarted.
            </dd>
          )}
        </div>
      ))}
      <div>
        <dt className="text-2">Approved signing key</dt>
        <dd className="font-mono text-data wrap-anywhere">{signer.approved ?? '—'}</dd>
        {signer.next !== null && signer.next !== signer.approved && (
          <dd className="text-hint text-medium wrap-anywhere">
            SIGNER_KEY_NEXT is {signer.next}. It cannot sign until two admins have approved it.
          </dd>
        )}
      </div>
    </dl>
  )
}

function ChangeRow({ change }: { change: ProtectedChange }) {
  const { from, to, kind, reason, proposedBy, proposedAt, approvedBy, effectiveAt, endedAt, outcome } = change
  return (
    <li className="grid gap-1 px-5 py-3 text-base phone:px-4">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-semibold">{formatChangeTitle(change)}</span>
        <Badge tone={outcome === 'applied' ? 'ok' : outcome === null ? 'medium' : 'neutral'}>
          {formatChangeOutcome(change)}
        </Badge>
      </span>
      <span className="text-data wrap-anywhere">
        {formatProtectedValue(kind, from)} → {formatProtectedValue(kind, to)}
      </span>
      <span className="text-2 wrap-anywhere">
        {outcome === 'forced' ? 'Command line' : (proposedBy?.name ?? 'A deleted account')} proposed it{' '}
        <Time at={proposedAt} />
        {approvedBy && <>, {approvedBy.name ?? 'a deleted account'} approved it</>}. “{reason}”
      </span>
      {effectiveAt !== null && endedAt === null && (
        <span>
          Takes effect <Time at={effectiveAt} show="date" />
        </span>
      )}
      {endedAt === null && <Actions change={change} />}
    </li>
  )
}

function Actions({ change: { id, proposedBy, approvedBy } }: { change: ProtectedChange }) {
  const user = useUser()
  const mayChange = useAllowed('settings.change')
  const approve = useChangeMutation('approveChange', 'Change Approved')
  const cancel = useChangeMutation('cancelChange', 'Change Cancelled')
  if (!mayChange) return null
  const isOwn = proposedBy?.id === user.id
  return (
    <span className="mt-1 flex flex-wrap items-center gap-2">
      {approvedBy === null && !isOwn && (
        <Button size="sm" variant="primary" busy={approve.isPending} onClick={() => approve.mutate(id)}>
          {approve.isPending ? 'Approving…' : 'Approve'}
        </Button>
      )}
      <Button size="sm" busy={cancel.isPending} onClick={() => cancel.mutate(id)}>
        {cancel.isPending ? 'Cancelling…' : 'Cancel change'}
      </Button>
      {approvedBy === null && isOwn && <span className="text-2">Another admin has to approve it.</span>}
    </span>
  )
}

function useChangeMutation(name: 'approveChange' | 'cancelChange', title: string) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  return useMutation({
    mutationFn: (id: string) => withReauthentication(() => call(name, { params: { id } })),
    onSuccess: ({ message }) => {
      toast({ title, description: message, variant: 'success' })
      refreshAfterChange(queryClient)
    },
    onError: (error) => toastFailure(error, 'The change could not be saved. Please try again.'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: adminQueries.protected.queryKey }),
  })
}
