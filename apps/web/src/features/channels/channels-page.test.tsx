// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { Destination } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { readStoredValue, store } from '../../browser/stored-json.ts'
import { paths } from '../../paths.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { ChannelsPage } from './channels-page.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'serviceWorker')
  systemToasts.clear()
  localStorage.clear()
})

const unconfirmedDestination: Destination = {
  ...{ id: 'd-1', kind: 'web-push', name: 'This laptop', host: 'push.example', state: 'unconfirmed' },
  ...{ publicKey: null, events: [], mutedUntil: null, quietHours: null, digest: null, escalationStep: null },
  rules: {
    ...{ assets: [], types: [], regimes: [], watchlist: false },
    ...{ lowestPriority: 'low', lowestConfidence: 0, coolDownMinutes: 0, mostPerHour: null },
  },
  ...{ createdAt: '2026-11-24T12:00:00.000Z', failingSince: null, lastDeliveredAt: null, medianMs: null },
  ...{ delivered: 0, waiting: 0, held: 0, skipped: 0, dead: 0, missed: 0, missedFrom: null },
}

/** A service worker container with a push service. */
function stubPush() {
  const endpoint = 'https://push.example/1'
  const subscription = { endpoint, toJSON: () => ({ endpoint, keys: { p256dh: 'key', auth: 'auth' } }) }
  const pushManager = { getSubscription: async () => null, subscribe: async () => subscription }
  const serviceWorker = Object.assign(new EventTarget(), { ready: Promise.resolve({ pushManager }) })
  Object.defineProperty(navigator, 'serviceWorker', { value: serviceWorker, configurable: true })
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('Notification', { permission: 'granted', requestPermission: async () => 'granted' })
  return serviceWorker
}

/** A server that accepts the code of the destination once. Records the codes that it receives. */
function stubServer() {
  const codes: unknown[] = []
  let destinations: Destination[] = []
  vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
    if (url === '/api/channels/d-1/confirm') {
      codes.push(JSON.parse(String(body)).code)
      if (codes.length > 1) return new Response('', { status: 422 })
      destinations = [{ ...unconfirmedDestination, state: 'on' }]
      return Response.json({ isDelivered: true, status: null, tookMs: 0, response: '', message: '' })
    }
    if (url === '/api/channels' && method === 'POST') {
      destinations = [unconfirmedDestination]
      return Response.json({ destination: unconfirmedDestination, secret: null }, { status: 201 })
    }
    if (url === '/api/channels') return Response.json(destinations)
    if (url === '/api/config') return Response.json({ pushKey: 'BCVxsr7N', telegram: false, deliveriesDays: 30 })
    return new Response('', { status: 503 })
  })
  return { codes }
}

/** Opens the page and adds this browser as a destination. Types the name unless it is empty. */
async function addThisBrowser(name = '') {
  const rootRoute = createRootRoute()
  const route = createRoute({ getParentRoute: () => rootRoute, path: paths.channels, component: ChannelsPage })
  const router = createRouter({
    routeTree: rootRoute.addChildren([route]),
    history: createMemoryHistory({ initialEntries: [paths.channels] }),
  })
  const client = createQueryClient()
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id: 'ada', name: 'Ada' } })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <ReauthenticationContext value={async () => {}}>
          <RouterProvider router={router} />
        </ReauthenticationContext>
      </AuthProvider>
    </QueryClientProvider>,
  )
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  await user.click(await screen.findByRole('button', { name: 'Add destination' }))
  const dialog = within(screen.getByRole('dialog'))
  await dialog.findByRole('option', { name: 'Web push' })
  await user.selectOptions(dialog.getByLabelText('Kind'), 'Web push')
  if (name !== '') await user.type(dialog.getByLabelText('Name'), name)
  await user.click(dialog.getByRole('button', { name: 'Add' }))
  return dialog
}

test.each([
  ['', 'This laptop'],
  ['Work laptop', 'Work laptop'],
])(
  'ChannelsPage: renews the destination of this browser when it is added again with the name “%s”',
  async (name, shownName) => {
    stubPush()
    let ownDestination: Destination = { ...unconfirmedDestination, state: 'on' }
    const former = { accountId: 'ada', destinationId: 'd-1', endpoint: 'https://push.example/0' }
    store('push-device', { ...former, p256dh: 'key', serverKey: 'BCVxsr7N' })
    const renewals: unknown[] = []
    vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
      if (url === '/api/channels/push-subscription') renewals.push(JSON.parse(String(body)))
      // A second destination is refused, for example because the account has too many.
      if (url === '/api/channels' && method === 'POST') return new Response('', { status: 409 })
      if (url === '/api/channels') return Response.json([ownDestination])
      if (url === '/api/channels/d-1') ownDestination = { ...ownDestination, ...JSON.parse(String(body)) }
      if (method === 'PUT') return Response.json({ success: true, message: '' })
      if (url === '/api/config') return Response.json({ pushKey: 'BCVxsr7N', telegram: false, deliveriesDays: 30 })
      return new Response('', { status: 503 })
    })
    const dialog = await addThisBrowser(name)
    await dialog.findByText('The destination is confirmed and gets new alerts from now on.')
    await screen.findByText(`Web push, ${shownName}`)
    const endpoint = 'https://push.example/1'
    expect(renewals).toMatchObject([{ previousEndpoint: former.endpoint, subscription: { endpoint } }])
    expect(readStoredValue('push-device')).toMatchObject({ destinationId: 'd-1', endpoint })
  },
)

test('ChannelsPage: sends the code of a push message once while the dialog and the panel show the new device', async () => {
  const serviceWorker = stubPush()
  const { codes } = stubServer()
  const dialog = await addThisBrowser()
  await expect.poll(() => screen.getAllByText('Send a code')).toHaveLength(2)

  const message = new MessageEvent('message', { data: { type: 'push-code', code: 'K7M2Q9XA' } })
  act(() => void serviceWorker.dispatchEvent(message))
  await dialog.findByText('The destination is confirmed and gets new alerts from now on.')
  expect(codes).toEqual(['K7M2Q9XA'])
})
