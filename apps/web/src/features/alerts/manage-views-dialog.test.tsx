// @vitest-environment happy-dom
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { AlertView } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { ManageViewsDialog } from './manage-views-dialog.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const views = ['Majors', 'Urgent'].map(
  (name): AlertView => ({ id: name, name, filter: { q: name }, createdAt: '2026-11-21T14:00:00.000Z' }),
)

/** The dialog on a page that has loaded the views. */
function Page({ onClose }: { onClose: () => void }) {
  useQuery({ ...alertQueries.views, initialData: views })
  return <ManageViewsDialog views={views} onClose={onClose} />
}

/** @param refetch the response when the views are loaded again */
function openDialog(refetch: () => Promise<Response>) {
  const answers: ((answer: Response) => void)[] = []
  vi.stubGlobal('fetch', (_url: string, { method }: RequestInit) =>
    method === 'GET' ? refetch() : new Promise<Response>((resolve) => answers.push(resolve)),
  )
  const onClose = vi.fn()
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Page onClose={onClose} />
    </QueryClientProvider>,
  )
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  return { answers, onClose, user, click: (name: string) => user.click(screen.getByRole('button', { name })) }
}

test.each([
  ['renamed', 'Rename Majors', 'Save', 'Saving…', 'Cancel'],
  ['deleted', 'Delete Majors', 'Delete view', 'Deleting…', 'Keep'],
])('ManageViewsDialog: stays open while a view is being %s, and shows an error if this fails', async (...words) => {
  const [, editLabel, sendLabel, sendingLabel, cancelLabel] = words
  const { answers, onClose, user, click } = openDialog(async () => Response.json(views))
  await click(editLabel)
  await click(sendLabel)
  await expect.poll(() => answers.length).toBe(1)
  await user.keyboard('{Escape}')
  await user.click(document.body)
  for (const name of ['Close', cancelLabel, 'Rename Urgent', 'Delete Urgent']) await click(name)
  expect(onClose).not.toHaveBeenCalled()
  expect(screen.getByRole('button', { name: sendingLabel })).toBeDefined()

  answers[0]?.(new Response('', { status: 503 }))
  const failure = 'The server did not respond. Nothing was changed. Please try again.'
  await screen.findByText(failure)
  await click('Rename Urgent')
  expect(screen.queryByText(failure)).toBeNull()
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('ManageViewsDialog: can be used and closed while the views are refetched after a view was renamed', async () => {
  const { answers, onClose, click } = openDialog(() => new Promise(() => {}))
  await click('Rename Majors')
  await click('Save')
  await expect.poll(() => answers.length).toBe(1)
  answers[0]?.(Response.json({}))
  await screen.findByRole('button', { name: 'Rename Majors' })
  await click('Delete Urgent')
  expect(screen.getByRole('button', { name: 'Delete view' })).toBeDefined()
  await click('Close')
  expect(onClose).toHaveBeenCalledOnce()
})
