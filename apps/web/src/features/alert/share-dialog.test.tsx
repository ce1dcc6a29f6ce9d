// @vitest-environment happy-dom
import { onlineManager, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { PublicConfig } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { ShareDialog } from './share-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  onlineManager.setOnline(true)
})

/** Opens the dialog for an alert that is not public yet. */
function openDialog(send: () => Promise<Response>) {
  vi.stubGlobal('fetch', send)
  const client = createQueryClient()
  // Cast: the dialog reads only these fields.
  client.setQueryData(queries.config.queryKey, { publicDelayHours: 24, shareLinkHours: 72 } as PublicConfig)
  const onClose = vi.fn()
  render(
    <QueryClientProvider client={client}>
      <ShareDialog alert={getAlert(1, { createdAt: new Date().toISOString() })} onClose={onClose} />
    </QueryClientProvider>,
  )
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  return {
    onClose,
    click: (name: string) => user.click(screen.getByRole('button', { name })),
    closeByAccident: async () => {
      await user.keyboard('{Escape}')
      await user.click(document.body)
    },
  }
}

test('ShareDialog: stays open while a link is created, and then closes only with the “Close” button', async () => {
  const answers: ((answer: Response) => void)[] = []
  const { onClose, click, closeByAccident } = openDialog(() => new Promise((resolve) => answers.push(resolve)))
  await click('Create link')
  await expect.poll(() => answers.length).toBe(1)
  await closeByAccident()
  await click('Close')
  expect(onClose).not.toHaveBeenCalled()

  answers[0]?.(Response.json({ logIndex: 1, token: 'secret', until: null }))
  const link = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Private link' })
  expect(link.value).toMatch(/\/a\/1#secret$/)
  await closeByAccident()
  expect(onClose).not.toHaveBeenCalled()
  await click('Close')
  expect(onClose).toHaveBeenCalledOnce()
})

test('ShareDialog: keeps showing the first link when the creation of a second link fails', async () => {
  const answers = [Response.json({ logIndex: 1, token: 'first', until: null }), new Response('', { status: 503 })]
  const { click } = openDialog(async () => answers.shift() ?? Response.error())
  await click('Create link')
  const name = 'Private link'
  await screen.findByRole('textbox', { name })
  await click('Create another')
  await screen.findByRole('alert')
  expect(screen.getByRole<HTMLInputElement>('textbox', { name }).value).toMatch(/#first$/)
})

test.each([
  [null, /this alert while your plan is active\.$/],
  ['2026-11-24T14:00:00.000Z', /this alert while your plan is active, until .*\d\.$/],
])('ShareDialog: says who can read the alert when a private link is valid until %s', async (until, hint) => {
  const { click } = openDialog(async () => Response.json({ logIndex: 1, token: 'first', until }))
  await click('Create link')
  expect((await screen.findByText(/^Everyone with the link/)).textContent).toMatch(hint)
})

test('ShareDialog: removes the message that links could not be revoked when a link is created afterwards', async () => {
  const answers = [new Response('', { status: 503 }), Response.json({ logIndex: 1, token: 'first', until: null })]
  const { click } = openDialog(async () => answers.shift() ?? Response.error())
  await click('Revoke my links')
  await screen.findByRole('alert')
  await click('Create link')
  await screen.findByRole('textbox', { name: 'Private link' })
  expect(screen.queryByRole('alert')).toBeNull()
})

test('ShareDialog: stays open while links are being revoked, and can be closed when the revocation fails', async () => {
  const answers: ((answer: Response) => void)[] = []
  const { onClose, click, closeByAccident } = openDialog(() => new Promise((resolve) => answers.push(resolve)))
  await click('Revoke my links')
  await expect.poll(() => answers.length).toBe(1)
  await closeByAccident()
  await click('Close')
  expect(onClose).not.toHaveBeenCalled()

  answers[0]?.(new Response('', { status: 503 }))
  await screen.findByRole('alert')
  await closeByAccident()
  expect(onClose).toHaveBeenCalled()
})

test('ShareDialog: reports a failure immediately while the browser is offline, and can be closed', async () => {
  act(() => onlineManager.setOnline(false))
  const { onClose, click, closeByAccident } = openDialog(() => Promise.reject(new TypeError('Failed to fetch')))
  await click('Revoke my links')
  await screen.findByRole('alert')
  await closeByAccident()
  expect(onClose).toHaveBeenCalled()
})
