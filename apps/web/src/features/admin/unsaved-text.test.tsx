// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { LetterDetail } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { adminQueries } from './admin-queries.ts'
import { LetterDialog } from './letter-dialog.tsx'
import { MessageDialog } from './message-dialog.tsx'

vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1', permissions: ['letters.answer'] }) }))
vi.mock('./use-admin-search-params.ts', () => ({ useAdminSearchParams: () => ({ go: {} }) }))

const letter: LetterDetail = {
  id: 7,
  at: '2026-11-24T12:00:00.000Z',
  name: 'Ada',
  email: 'ada@example.com',
  subject: 'My plan',
  category: null,
  account: null,
  state: 'open',
  assignee: null,
  answers: 0,
  notes: 0,
  lastAt: '2026-11-24T12:00:00.000Z',
  message: 'When does it end?',
  replies: [],
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

type Dialog = (props: { onClose: () => void }) => React.ReactNode

function open(Dialog: Dialog) {
  vi.stubGlobal('fetch', async () => Response.json(letter))
  const client = createQueryClient()
  client.setQueryData(adminQueries.letter(letter.id).queryKey, letter)
  const onClose = vi.fn()
  render(
    <QueryClientProvider client={client}>
      <Dialog onClose={onClose} />
    </QueryClientProvider>,
  )
  return { onClose, user: userEvent.setup({ pointerEventsCheck: 0 }) }
}

const answered: Dialog = ({ onClose }) => <LetterDialog id={letter.id} onClose={onClose} />

test.each<[string, Dialog, string]>([
  ['LetterDialog', answered, 'Answer to ada@example.com'],
  ['MessageDialog', MessageDialog, 'Text'],
  ['MessageDialog', MessageDialog, 'Subject'],
])('%s: keeps entered text on Escape and on a click outside the dialog', async (_, Dialog, field) => {
  const { onClose, user } = open(Dialog)
  await user.type(screen.getByLabelText(field), 'It ends at noon.')
  await user.keyboard('{Escape}')
  await user.click(document.body)
  expect(onClose).not.toHaveBeenCalled()
  await user.clear(screen.getByLabelText(field))
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('LetterDialog: closes on Escape when the answer has been sent', async () => {
  const { onClose, user } = open(answered)
  const field = screen.getByLabelText<HTMLTextAreaElement>('Answer to ada@example.com')
  await user.type(field, 'It ends at noon.')
  await user.click(screen.getByRole('button', { name: 'Send answer' }))
  await expect.poll(() => field.value).toBe('')
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})
