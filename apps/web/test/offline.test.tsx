// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { getAlert } from '../../../packages/protocol/test/support/sample-alert.ts'
import { setOfflineAlertsOwner, writeOfflineAlerts } from '../src/session/offline-alerts.ts'
import { readTimeHint, writeTimeHint } from '../src/session/signed-in-hint.ts'
import { failToConnect, openPage } from './open-page.tsx'
import { fakeCaches } from './support/fake-caches.ts'

/**
 * Opens the notifications without a network, with a stored alert. Returns the “As of” element and
 * the function that reads the page's time style.
 */
async function openOffline() {
  vi.stubGlobal('caches', fakeCaches().storage)
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  onTestFinished(() => onLine.mockRestore())
  setOfflineAlertsOwner('u-1', true)
  await writeOfflineAlerts('u-1', [{ id: 'alert-7', alert: getAlert(7), isRead: true }], Date.now())
  await openPage('/notifications', { 'GET /api/auth/user': failToConnect })
  const asOf = await screen.findByText(/^As of/)
  // `openPage` resets the loaded modules, so import the instance of the module that the page uses.
  const { readTimeStyle } = await import('../src/ui/time-style.ts')
  return { asOf, readTimeStyle }
}

it('a page opened offline shows alert times in the time zone of the account, and names the zone', async () => {
  writeTimeHint({ timeZone: 'Asia/Tokyo', hourCycle: '24' })
  const { asOf } = await openOffline()
  await expect.poll(() => act(async () => asOf.textContent)).toContain('GMT+9')
  expect(screen.getByText('23:00:07')).toBeDefined()
})

it('a page opened offline shows times in the device’s time zone when the account’s time zone is unknown', async () => {
  expect(readTimeHint()).toBeNull()
  const { readTimeStyle } = await openOffline()
  await expect.poll(() => act(async () => readTimeStyle())).toEqual({ timeZone: 'browser', hourCycle: '24' })
})
