import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from '@tocsin/protocol'
import { useState } from 'react'
import { call } from '../../api/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { formatExpiry, scopeLabels } from './api-key-form.ts'
import { apiKeysQuery } from './api-key-queries.ts'
import { CreateApiKeyDialog } from './create-api-key-dialog.tsx'
import { LastUsed } from './factors-section.tsx'
import { QueryContent } from './query-content.tsx'
import { SettingRow, SettingRows } from './setting-row.tsx'
import { useAccountChange } from './use-account-change.ts'

/** The list of the API keys of the account, without their secrets. */
export function ApiKeysSection() {
  const keys = useQuery({ ...apiKeysQuery, staleTime: 0 })
  const [isCreating, setIsCreating] = useState(false)
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKey | null>(null)
  return (
    <Panel
      title="API keys"
      flush
      actions={
        keys.data && (
          <Button size="sm" onClick={() => setIsCreating(true)}>
            Create a key
          </Button>
        )
      }
      footer="A key cannot pay, change settings or create keys. If you do not recognise a key, revoke it."
    >
      <QueryContent query={keys} what="your API keys" rows={2}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No API key yet">
              A key lets your program read, stream and verify alerts without your password or wallet.
            </EmptyState>
          ) : (
            <SettingRows>
              {list.map((key) => (
                <ApiKeyRow key={key.id} apiKey={key} onRevoke={() => setKeyToRevoke(key)} />
              ))}
            </SettingRows>
          )
        }
      </QueryContent>
      {isCreating && <CreateApiKeyDialog existing={keys.data ?? []} onClose={() => setIsCreating(false)} />}
      {keyToRevoke && <RevokeDialog apiKey={keyToRevoke} onClose={() => setKeyToRevoke(null)} />}
    </Panel>
  )
}

function ApiKeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const { name, prefix, scopes, requestsPerMinute, createdAt, expiresAt, lastUsedAt } = apiKey
  const expiry = useNow((nowMs) => formatExpiry(expiresAt, nowMs))
  return (
    <SettingRow
      label={
        <span className="flex flex-wrap items-center gap-2 wrap-anywhere">
          {name}
          {expiry === 'Expired' && <Badge tone="critical">Expired</Badge>}
        </span>
      }
      detail={
        <>
          <p>
            <code>{prefix}…</code> {scopes.map((scope) => scopeLabels[scope].name).join(', ')}.{' '}
            <span className="whitespace-nowrap">{requestsPerMinute} requests a minute.</span>
          </p>
          <p>
            Created <Time at={createdAt} show="date" /> <ZoneName />.{' '}
            <span className="whitespace-nowrap">{expiry}.</span> <LastUsed at={lastUsedAt} />
          </p>
        </>
      }
    >
      <Button aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke…
      </Button>
    </SettingRow>
  )
}

function RevokeDialog({ apiKey: { id, name, prefix }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useAccountChange({
    run: () => call('revokeApiKey', { params: { id } }),
    done: 'Key Revoked',
    failed: 'The key could not be revoked. Please try again.',
  })
  return (
    <FormDialog
      title={`Revoke ${name}`}
      description="Programs with this key are rejected immediately, and their streams are closed. This can’t be undone."
      submitLabels={{ send: 'Revoke', sending: 'Revoking…' }}
      cancelLabel="Keep it"
      variant="danger"
      isSending={revoke.isPending}
      onSubmit={(event) => {
        event.preventDefault()
        revoke.mutate(undefined, { onSuccess: onClose })
      }}
      onClose={onClose}
    >
      <p className="text-base text-2">
        The key begins with <code className="text-1">{prefix}</code>.
      </p>
    </FormDialog>
  )
}
