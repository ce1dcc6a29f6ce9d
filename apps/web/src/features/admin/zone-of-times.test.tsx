// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { AdminAnnouncement, AdminCoupon, AdminUser, ScheduledAlert } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { setAdminRole } from '../../../test/support/admin-user.ts'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { setTimeStyle, utcStyle } from '../../ui/time-style.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { adminQueries } from './admin-queries.ts'
import { AnnouncementsPanel } from './announcements-panel.tsx'
import { CouponsView } from './coupons-view.tsx'
import { ExtendDialog } from './extend-dialog.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { ScheduledPanel } from './scheduled-panel.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)

beforeEach(() => setAdminRole('auditor'))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

const creationFields = { createdAt: '2026-11-24T12:00:00.000Z', createdBy: 'Ada' }
const content = {
  asset: 'ETH/USDT',
  anomalyType: 'Funding flip',
  confidence: 90,
  regime: 'Range',
  summary: 'Funding is decided.',
  priority: 'medium',
} as const
const scheduledAlert: ScheduledAlert = {
  ...content,
  ...creationFields,
  id: 'a-1',
  issueAt: '2036-01-01T12:00:00.000Z',
  state: 'waiting',
  alertId: null,
  problem: null,
}
const coupon: AdminCoupon = {
  ...creationFields,
  id: 'c-1',
  code: 'LAUNCH-26',
  state: 'active',
  percent: 20,
  amountWei: null,
  planTypes: ['24h'],
  maxUses: 10,
  maxUsesPerAccount: 1,
  used: 0,
  reserved: 0,
  discountWei: '0',
  note: 'Launch',
  expiresAt: '2036-01-01T12:00:00.000Z',
  endedAt: null,
}
const announcement: AdminAnnouncement = {
  ...creationFields,
  id: 'n-1',
  text: 'Maintenance tonight',
  audience: 'all',
  onPublicPages: false,
  state: 'scheduled',
  from: '2036-01-01T11:00:00.000Z',
  until: '2036-01-01T12:00:00.000Z',
}
const user: AdminUser = {
  ...{ id: 'u-2', name: 'Ada', email: null, emailVerified: false, walletAddress: null, wallets: [] },
  ...{
    isAdmin: false,
    role: 'user',
    createdAt: creationFields.createdAt,
    suspendedAt: null,
    lastSeenAt: null,
    paidWei: null,
  },
  activeSubscription: {
    ...{ planType: '24h', tokenAmount: '0', transactionHash: null, extendedHours: 0 },
    ...{ startTime: '2035-12-31T12:00:00.000Z', endTime: '2036-01-01T12:00:00.000Z' },
  },
}

function renderPage(children: ReactNode) {
  vi.stubGlobal('fetch', (_: string, { method }: RequestInit) =>
    method === 'POST' ? Promise.resolve(Response.json({})) : new Promise(() => {}),
  )
  const client = createQueryClient()
  const page = <Item,>(item: Item) => ({ pages: [{ items: [item], nextCursor: null }], pageParams: [''] })
  client.setQueryData(adminQueries.scheduled.queryKey, page(scheduledAlert))
  client.setQueryData(adminQueries.coupons.queryKey, page(coupon))
  client.setQueryData(adminQueries.announcements.queryKey, page(announcement))
  return render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </ReauthenticationContext>,
  )
}

test.each([
  ['ScheduledPanel', <ScheduledPanel key="1" />],
  ['CouponsView', <CouponsView key="2" />],
  ['AnnouncementsPanel', <AnnouncementsPanel key="3" />],
])('%s: shows times with their time zone', (_, view) => {
  expect(renderPage(view).container.textContent).toContain('01 Jan 12:00:00 UTC')
})

test('ScheduleDialog: the toast after scheduling shows the time in the chosen time zone', async () => {
  setTimeStyle({ timeZone: 'Asia/Tokyo', hourCycle: '24' })
  onTestFinished(() => setTimeStyle(utcStyle))
  const initialDraft = { ...content, confidence: '90', broadcast: true }
  renderPage(<ScheduleDialog initial={initialDraft} onClose={() => {}} />)
  await userEvent.setup().click(screen.getByRole('button', { name: 'Schedule alert' }))
  const listToastDescriptions = () => systemToasts.snapshot().shown.map(({ item }) => item.description)
  await expect
    .poll(listToastDescriptions)
    .toEqual([expect.stringMatching(/^It is issued on \d\d \w+ [\d:]{8} GMT\+9\.$/)])
})

test('ScheduleDialog: keeps the exact time when the time was not changed', async () => {
  const initialDraft = { ...content, confidence: '90', broadcast: true }
  const issueAt = '2036-01-01T12:00:30.000Z'
  renderPage(<ScheduleDialog initial={initialDraft} changes={{ id: 'a-1', issueAt }} onClose={() => {}} />)
  const sentBodies: unknown[] = []
  vi.stubGlobal('fetch', (_: string, { body }: RequestInit) => {
    sentBodies.push(JSON.parse(String(body)))
    return Promise.resolve(Response.json({}))
  })
  await userEvent.setup().click(screen.getByRole('button', { name: 'Save' }))
  await expect.poll(() => sentBodies).toMatchObject([{ issueAt }])
})

test('ExtendDialog: shows the current and the new end with their time zone', () => {
  renderPage(<ExtendDialog user={user} onClose={() => {}} />)
  const { textContent } = screen.getByRole('dialog')
  expect(textContent).toContain('24 hours, ends 01 Jan 12:00:00 UTC')
  expect(textContent).toContain('New end2 Jan 2036 12:00:00 UTC')
})
