// @vitest-environment happy-dom
import type { AlertAt } from '@tocsin/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { openPage, signedOut } from './open-page.tsx'

const withheldAlert: AlertAt = {
  access: 'withheld',
  priority: 'high',
  createdAt: '2026-11-22T13:58:02.000Z',
  logIndex: 7,
  leafHash: `0x${'2'.repeat(64)}`,
  publicAt: '2099-11-23T13:58:02.000Z',
}

it('the page of a withheld alert has the document title “Alert #7 · Tocsin” when the page is opened by its URL', async () => {
  // Insert the alert into the page, as the server does.
  const json = Object.assign(document.createElement('script'), { id: 'alert-data', type: 'application/json' })
  json.textContent = JSON.stringify(withheldAlert)
  document.body.append(json)
  onTestFinished(() => json.remove())
  await openPage('/a/7', { ...signedOut, 'GET /api/alerts/at/7': withheldAlert })
  await expect.poll(() => document.title).toBe('Alert #7 · Tocsin')
})
