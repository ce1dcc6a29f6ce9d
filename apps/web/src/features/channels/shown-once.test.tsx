// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { type UserEvent, userEvent } from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { AddDestinationDialog } from './add-destination-dialog.tsx'
import { FeedsPanel } from './feeds-panel.tsx'

vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1' }) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function AddDestinationPage() {
  const [isOpen, setOpen] = useState(true)
  return isOpen && <AddDestinationDialog onAdded={() => {}} onClose={() => setOpen(false)} />
}

async function createFeed(user: UserEvent) {
  await user.click(await screen.findByRole('button', { name: 'Create…' }))
  await user.click(screen.getByRole('button', { name: 'Create' }))
}

async function addWebhook(user: UserEvent) {
  await user.type(screen.getByLabelText('Name'), 'Desk bot')
  await user.type(screen.getByLabelText('Address'), 'https://bot.example.com/tocsin')
  await user.click(screen.getByRole('button', { name: 'Add' }))
}

test.each<[string, ReactNode, (user: UserEvent) => Promise<void>, object]>([
  ['FeedsPanel', <FeedsPanel key="1" />, createFeed, { url: 'https://tocsin.example/feeds/shown-once.atom' }],
  [
    'AddDestinationDialog',
    <AddDestinationPage key="2" />,
    addWebhook,
    { destination: { id: 'd-1' }, secret: 'shown-once' },
  ],
])('%s: the dialog stays open while requesting and showing the secret', async (_, page, sendRequest, answer) => {
  const resolvers: ((response: Response) => void)[] = []
  const knownResponses: Record<string, unknown> = { '/api/channels': [], '/api/feeds/private': { feed: null } }
  vi.stubGlobal('fetch', (url: string, { method }: RequestInit) =>
    method === 'POST'
      ? new Promise<Response>((resolve) => resolvers.push(resolve))
      : Promise.resolve(url in knownResponses ? Response.json(knownResponses[url]) : new Response('', { status: 503 })),
  )
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>{page}</QueryClientProvider>
    </ReauthenticationContext>,
  )
  const closeInAllWays = async () => {
    await user.keyboard('{Escape}')
    await user.click(document.body)
    await user.click(screen.getByRole('button', { name: 'Close' }))
    const cancel = screen.queryByRole('button', { name: 'Cancel' })
    if (cancel) await user.click(cancel)
    screen.getByRole('dialog')
  }
  await sendRequest(user)
  await expect.poll(() => resolvers.length).toBe(1)
  await closeInAllWays()
  resolvers[0]?.(Response.json(answer))
  expect((await screen.findAllByText(/shown-once/)).length).toBeGreaterThan(0)
  await closeInAllWays()
})
