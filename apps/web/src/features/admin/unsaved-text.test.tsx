// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { PagedAlert, SupportMessageDetail } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { setAdminRole } from '../../../test/support/admin-user.ts'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { adminQueries } from './admin-queries.ts'
import { AnnouncementDialog } from './announcement-dialog.tsx'
import { HistoryRow } from './history-row.tsx'
import { MessageDialog } from './message-dialog.tsx'
import { emptyAlert } from './new-alert.ts'
import { RetractDialog } from './retract-dialog.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { SupportMessageDialog } from './support-message-dialog.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)
vi.mock(
  './use-admin-search-params.ts',
  async () => (await import('../../../test/support/admin-user.ts')).adminSearchParams,
)

beforeEach(() => setAdminRole('owner'))

const supportMessage: SupportMessageDetail = {
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
const alert: PagedAlert = {
  ...getAlert(7),
  broadcastAt: null,
  broadcasts: { count: 0, lastAt: null },
  signal: null,
}

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

type Dialog = (props: { onClose: () => void }) => React.ReactNode

function openDialog(Dialog: Dialog) {
  vi.stubGlobal('fetch', (url: string) =>
    url.startsWith('/api/admin/letters/') ? Promise.resolve(Response.json(supportMessage)) : new Promise(() => {}),
  )
  const client = createQueryClient()
  client.setQueryData(adminQueries.letter(supportMessage.id).queryKey, supportMessage)
  const onClose = vi.fn()
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={client}>
        <Dialog onClose={onClose} />
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
  return { onClose, user: userEvent.setup({ pointerEventsCheck: 0 }) }
}

const ReplyTestDialog: Dialog = ({ onClose }) => <SupportMessageDialog id={supportMessage.id} onClose={onClose} />
const RetractTestDialog: Dialog = ({ onClose }) => <RetractDialog alert={alert} onClose={onClose} />
const ScheduleTestDialog: Dialog = ({ onClose }) => <ScheduleDialog initial={emptyAlert} onClose={onClose} />

test.each<[string, Dialog, string]>([
  ['LetterDialog', ReplyTestDialog, 'Reply to ada@example.com'],
  ['MessageDialog', MessageDialog, 'Text'],
  ['MessageDialog', MessageDialog, 'Subject'],
  ['AnnouncementDialog', AnnouncementDialog, 'Text'],
  ['RetractDialog', RetractTestDialog, 'Reason'],
  ['ScheduleDialog', ScheduleTestDialog, 'Summary'],
])('%s: stays open on Escape and on an outside click while a field has text', async (_, Dialog, field) => {
  const { onClose, user } = openDialog(Dialog)
  await user.type(screen.getByLabelText(field), 'It ends at noon.')
  await user.keyboard('{Escape}')
  await user.click(document.body)
  expect(onClose).not.toHaveBeenCalled()
  await user.clear(screen.getByLabelText(field))
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('SupportMessageDialog: closes on Escape when the reply has been sent', async () => {
  const { onClose, user } = openDialog(ReplyTestDialog)
  const field = screen.getByLabelText<HTMLTextAreaElement>('Reply to ada@example.com')
  await user.type(field, 'It ends at noon.')
  await user.click(screen.getByRole('button', { name: 'Send reply' }))
  await expect.poll(() => field.value).toBe('')
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('SupportMessageDialog: keeps text that is typed while the reply is being sent', async () => {
  const { user } = openDialog(ReplyTestDialog)
  let respond = () => {}
  const isServerReady = new Promise<void>((resolve) => {
    respond = resolve
  })
  vi.stubGlobal('fetch', () => isServerReady.then(() => Response.json(supportMessage)))
  const field = screen.getByLabelText<HTMLTextAreaElement>('Reply to ada@example.com')
  await user.type(field, 'It ends at noon.')
  await user.click(screen.getByRole('button', { name: 'Send reply' }))
  await user.type(field, ' Or later.')
  respond()
  const sendButton = screen.getByRole('button', { name: 'Send reply' })
  await expect.poll(() => sendButton.getAttribute('aria-busy')).toBeNull()
  expect(field.value).toBe('It ends at noon. Or later.')
})

const criticalAlert: PagedAlert = { ...alert, priority: 'critical', broadcastAt: alert.createdAt }
const criticalDraft = { ...emptyAlert, asset: 'ETH/USDT', confidence: '90', summary: 'A spike.' }

test.each<[string, Dialog, string, string]>([
  ['HistoryRow: correcting', () => <HistoryRow alert={criticalAlert} />, 'Correct #7', 'Correct and broadcast'],
  [
    'ScheduleDialog: scheduling',
    ({ onClose }) => <ScheduleDialog initial={{ ...criticalDraft, priority: 'critical' }} onClose={onClose} />,
    'Schedule alert',
    'Schedule and broadcast',
  ],
])('%s a critical alert needs the typed word CRITICAL', async (_, Dialog, submitLabel, confirmLabel) => {
  const { user } = openDialog(Dialog)
  const sent: unknown[] = []
  vi.stubGlobal('fetch', (_url: string, { method, body }: RequestInit) => {
    if (method === 'POST') sent.push(JSON.parse(String(body)))
    return new Promise(() => {})
  })
  const openButton = screen.queryByRole('button', { name: 'Correct #7…' })
  if (openButton) await user.click(openButton)
  await user.type(screen.getByLabelText('Summary'), ' Corrected.')
  await user.click(screen.getByRole('button', { name: submitLabel }))
  await user.click(await screen.findByRole('button', { name: confirmLabel }))
  expect(await screen.findByText('Type CRITICAL to send it')).toBeDefined()
  expect(sent).toEqual([])
  await user.type(screen.getByLabelText('Type CRITICAL to confirm'), 'critical')
  await user.click(screen.getByRole('button', { name: confirmLabel }))
  await expect.poll(() => sent).toMatchObject([{ priority: 'critical' }])
})

test.each([
  ['Correct', 'Summary'],
  ['Retract', 'Reason'],
])('HistoryRow: the dialog of “%s” stays open while it contains text or sends the request', async (action, field) => {
  const { user } = openDialog(() => <HistoryRow alert={alert} />)
  await user.click(screen.getByRole('button', { name: `${action} #7…` }))
  await user.type(screen.getByLabelText(field), 'It was the volume.')
  await user.keyboard('{Escape}')
  await user.click(document.body)
  screen.getByRole('dialog')
  if (action === 'Retract') await user.type(screen.getByLabelText('Type 7 to confirm'), '7')
  await user.click(screen.getByRole('button', { name: `${action} #7` }))
  await screen.findByRole('button', { name: `${action}ing…` })
  await user.click(screen.getByRole('button', { name: 'Close' }))
  screen.getByRole('dialog')
})
