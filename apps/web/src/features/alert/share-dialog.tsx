import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Alert, PublicConfig, ResponseOf } from '@tocsin/protocol'
import { Link2, Unlink } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call, getErrorMessage } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount } from '../../ui/count.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { createShareLink, getShareState, type ShareState } from './share-state.ts'

type ShareableAlert = Pick<Alert, 'id' | 'logIndex' | 'createdAt'>

/**
 * Shows the link to the public page of an alert, and links with a token that disclose the alert
 * before it is public.
 */
export function ShareDialog({ alert, onClose }: { alert: ShareableAlert; onClose: () => void }) {
  const { data: config } = useQuery(queries.config)
  const changes = useLinkChanges(alert.id)
  const { create, created, end } = changes
  return (
    <Dialog
      onOpenChange={onClose}
      title={`Share alert #${formatCount(alert.logIndex)}`}
      locked={create.isPending || end.isPending}
      hasUnsavedText={created !== null}
    >
      {config ? <Links alert={alert} config={config} changes={changes} /> : <Skeleton className="h-24" />}
    </Dialog>
  )
}

type LinksProps = { alert: ShareableAlert; config: PublicConfig; changes: LinkChanges }

function Links({ alert, config, changes }: LinksProps) {
  const state = getShareState(alert.createdAt, config, Date.now())
  return (
    <div className="flex flex-col gap-5">
      <LinkField
        label="Public link"
        link={createShareLink(location.origin, alert.logIndex, null)}
        hint={<PublicHint state={state} />}
      />
      {state.kind === 'private' && <PrivateLink {...changes} />}
    </div>
  )
}

function PublicHint({ state }: { state: ShareState }) {
  if (state.kind === 'public') return 'Everyone can open this link without an account. The page verifies the proof.'
  return (
    <>
      Everyone can open this link. Until <Time at={state.publicAt} mono={false} /> the page shows only time, priority
      and leaf hash.
      {state.kind === 'off' && ' The operator of this site has switched off private links.'}
    </>
  )
}

type LinkChanges = ReturnType<typeof useLinkChanges>

/**
 * Creates and revokes links with a token. A token is shown only once, because the server stores
 * only its hash.
 */
function useLinkChanges(id: string) {
  const client = useQueryClient()
  const refetchActivity = () => void client.invalidateQueries({ queryKey: queries.activity.queryKey })
  const params = { id }
  // Not `create.data`, because a failed second attempt would remove the first link.
  const [createdLink, setCreatedLink] = useState<ResponseOf<'shareAlert'> | null>(null)
  const create = useMutation({
    mutationFn: () => call('shareAlert', { params }),
    onMutate: () => {
      end.reset()
    },
    onSuccess: (link) => {
      setCreatedLink(link)
      refetchActivity()
    },
  })
  const end = useMutation({
    mutationFn: () => call('endShares', { params }),
    onSuccess: () => {
      setCreatedLink(null)
      create.reset()
      refetchActivity()
    },
  })
  return { create, created: createdLink, end }
}

function PrivateLink({ create, created, end }: LinkChanges) {
  const error = create.error ?? end.error
  return (
    <section aria-label="Share before the alert is public" className="border-t border-line-1 pt-5">
      {created ? (
        <LinkField
          label="Private link"
          link={createShareLink(location.origin, created.logIndex, created.token)}
          hint={
            <>
              Everyone with the link can read this alert while your plan is active
              {created.until && (
                <>
                  , until <Time at={created.until} mono={false} />
                </>
              )}
              .
            </>
          }
        />
      ) : (
        <p className="text-base text-2">
          A private link shows this alert to everyone who has it, while your plan is active. It appears in your history.
        </p>
      )}
      {error && (
        <p role="alert" className="mt-3 text-base">
          {getErrorMessage(error, 'The link could not be changed. Please try again.')}
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button variant={created ? 'secondary' : 'primary'} busy={create.isPending} onClick={() => create.mutate()}>
          <Link2 aria-hidden size={16} strokeWidth={2.25} />
          {create.isPending ? 'Creating…' : created ? 'Create another' : 'Create link'}
        </Button>
        <Button busy={end.isPending} onClick={() => end.mutate()}>
          <Unlink aria-hidden size={16} strokeWidth={2.25} />
          {end.isPending ? 'Revoking…' : end.isSuccess && !created ? 'Links revoked' : 'Revoke my links'}
        </Button>
      </div>
    </section>
  )
}

type LinkFieldProps = { label: string; link: string; hint: ReactNode }

function LinkField({ label, link, hint }: LinkFieldProps) {
  return (
    <TextField
      label={label}
      hint={hint}
      value={link}
      readOnly
      mono
      spellCheck={false}
      onFocus={({ target }) => target.select()}
      suffix={<CopyButton text={link} label={`Copy ${label.toLowerCase()}`} />}
    />
  )
}
