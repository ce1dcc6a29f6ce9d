import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { useReauthentication } from '../../session/reauthentication.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'
import { toastFailure } from '../account/toast-failure.ts'
import { QueryContent } from '../settings/query-content.tsx'
import { SettingRow, SettingRows } from '../settings/setting-row.tsx'
import { privateFeedQuery } from './channel-queries.ts'

const formats = [
  { file: 'alerts.atom', name: 'Atom' },
  { file: 'alerts.rss', name: 'RSS' },
  { file: 'alerts.json', name: 'JSON Feed' },
]

/** The feeds for feed readers: a public one, and a private one with a secret URL. */
export function FeedsPanel() {
  const query = useQuery(privateFeedQuery)
  const [dialog, setDialog] = useState<'create' | 'revoke' | null>(null)
  const close = () => setDialog(null)
  return (
    <Panel title="Feeds" flush>
      <SettingRows>
        <SettingRow label="Public feed" detail="Every alert, once it is public.">
          <span className="flex flex-wrap gap-x-4 gap-y-1 text-base">
            {formats.map(({ file, name }) => (
              <a key={file} href={`/feeds/${file}`} className="link touch-target">
                {name}
              </a>
            ))}
          </span>
        </SettingRow>
      </SettingRows>
      <div className="border-t border-line-1">
        <QueryContent query={query} what="your private feed" rows={1}>
          {({ feed }) => (
            <SettingRows>
              <SettingRow
                label="Private feed"
                detail={
                  feed ? (
                    <>
                      Created <Time at={feed.createdAt} show="date" />,{' '}
                      {feed.lastReadAt ? (
                        <>
                          last read <Time at={feed.lastReadAt} />
                        </>
                      ) : (
                        'not read yet'
                      )}
                      . Without a plan it contains public alerts only.
                    </>
                  ) : (
                    'All alerts without delay while a plan runs, at an address that only you know.'
                  )
                }
              >
                <Button onClick={() => setDialog('create')}>{feed ? 'New address…' : 'Create…'}</Button>
                {feed && (
                  <Button variant="danger" onClick={() => setDialog('revoke')}>
                    Revoke…
                  </Button>
                )}
              </SettingRow>
            </SettingRows>
          )}
        </QueryContent>
      </div>
      {dialog === 'create' && <CreateDialog hasFeed={query.data?.feed != null} onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog onClose={close} />}
    </Panel>
  )
}

function CreateDialog({ hasFeed, onClose }: { hasFeed: boolean; onClose: () => void }) {
  const [url, setUrl] = useState<string | null>(null)
  const { isBusy, run } = useFeedChange()
  const create = () =>
    run(async () => {
      setUrl((await call('createPrivateFeed')).url)
    })
  return (
    <Dialog
      onOpenChange={onClose}
      size="lg"
      title={hasFeed ? 'New address of the private feed' : 'Create a private feed'}
      // The URL is shown only once, so the dialog must not be closed by accident, nor before the
      // server has answered.
      locked={url !== null || isBusy}
      footer={
        url === null ? (
          <>
            <Button size="lg" variant="ghost" disabled={isBusy} onClick={onClose}>
              Cancel
            </Button>
            <Button size="lg" variant="primary" busy={isBusy} onClick={() => void create()}>
              {isBusy ? 'Creating…' : 'Create'}
            </Button>
          </>
        ) : (
          <Button size="lg" variant="primary" onClick={onClose}>
            I have saved it
          </Button>
        )
      }
    >
      {url === null ? (
        <p className="text-base">
          Everyone who knows the address can read your alerts.{' '}
          {hasFeed ? 'Your current address stops working.' : 'Keep the address secret, and revoke it if it leaks.'}
        </p>
      ) : (
        <div className="grid gap-3 text-base">
          <p>Copy the address now: it is not shown again.</p>
          <CodeBlock code={url} copyLabel="Copy address" />
          <p className="text-2">
            This is Atom. For RSS or JSON Feed, replace <code>.atom</code> by <code>.rss</code> or <code>.json</code>.
          </p>
        </div>
      )}
    </Dialog>
  )
}

function RevokeDialog({ onClose }: { onClose: () => void }) {
  const { isBusy, run } = useFeedChange()
  const revoke = async () => {
    if (await run(() => call('revokePrivateFeed'))) onClose()
  }
  return (
    <Dialog
      onOpenChange={onClose}
      locked={isBusy}
      title="Revoke the private feed?"
      footer={
        <>
          <Button size="lg" variant="ghost" disabled={isBusy} onClick={onClose}>
            Cancel
          </Button>
          <Button size="lg" variant="danger" busy={isBusy} onClick={() => void revoke()}>
            {isBusy ? 'Revoking…' : 'Revoke'}
          </Button>
        </>
      }
    >
      <p className="text-base">Its address stops working at once.</p>
    </Dialog>
  )
}

/** Runs a change of the private feed, after reauthentication if needed, and refetches the feed. */
function useFeedChange() {
  const withReauthentication = useReauthentication()
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const run = async (change: () => Promise<unknown>): Promise<boolean> => {
    setIsBusy(true)
    try {
      await withReauthentication(change)
      await queryClient.invalidateQueries({ queryKey: privateFeedQuery.queryKey })
      return true
    } catch (error) {
      toastFailure(error, 'The private feed could not be changed. Please try again.')
      return false
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, run }
}
