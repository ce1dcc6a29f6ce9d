// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { type UserEvent, userEvent } from '@testing-library/user-event'
import type { ApiKey, Destination } from '@tocsin/protocol'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { ApiKeysSection } from '../settings/api-keys-section.tsx'
import { DeleteDialog } from './destination-dialogs.tsx'
import { FeedsPanel } from './feeds-panel.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const key: ApiKey = {
  ...{ id: 'k-1', name: 'Desk bot', prefix: 'tcsn_1', scopes: [], requestsPerMinute: 60 },
  ...{ createdAt: '2026-11-21T14:00:00.000Z', expiresAt: null, lastUsedAt: null },
}
const feed = { createdAt: '2026-11-21T14:00:00.000Z', lastReadAt: null }

function DeleteDialogPage() {
  const [isOpen, setOpen] = useState(true)
  // The dialog reads only these fields.
  return (
    isOpen && <DeleteDialog destination={{ id: 'd-1', name: 'Hook' } as Destination} onClose={() => setOpen(false)} />
  )
}

const openDialog = async (user: UserEvent) => user.click(await screen.findByRole('button', { name: /^Revoke/ }))

test.each<[string, ReactNode, (user: UserEvent) => Promise<void>, confirm: string, keep: string]>([
  ['the private feed', <FeedsPanel key="1" />, openDialog, 'Revoke', 'Cancel'],
  ['an API key', <ApiKeysSection key="2" />, openDialog, 'Revoke', 'Keep it'],
  ['a destination', <DeleteDialogPage key="3" />, async () => {}, 'Delete', 'Keep it'],
])(
  'the dialog that deletes %s stays open until the server has answered',
  async (_, page, openPage, confirmLabel, keepLabel) => {
    const resolvers: ((response: Response) => void)[] = []
    const knownResponses: Record<string, unknown> = { '/api/keys': [key], '/api/feeds/private': { feed } }
    vi.stubGlobal('fetch', (url: string, { method }: RequestInit) =>
      method === 'DELETE'
        ? new Promise<Response>((resolve) => resolvers.push(resolve))
        : Promise.resolve(
            url in knownResponses ? Response.json(knownResponses[url]) : new Response('', { status: 503 }),
          ),
    )
    const user = userEvent.setup({ pointerEventsCheck: 0 })
    render(
      <ReauthenticationContext value={async () => {}}>
        <QueryClientProvider client={createQueryClient()}>{page}</QueryClientProvider>
      </ReauthenticationContext>,
    )
    await openPage(user)
    await user.click(screen.getByRole('button', { name: confirmLabel }))
    await expect.poll(() => resolvers.length).toBe(1)
    await user.keyboard('{Escape}')
    await user.click(document.body)
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await user.click(screen.getByRole('button', { name: keepLabel }))
    screen.getByRole('dialog')
    resolvers[0]?.(Response.json({ success: true, message: 'Deleted' }))
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  },
)
