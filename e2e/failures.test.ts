import { expect, type Page, test } from '@playwright/test'
import { testAccount } from '@tocsin/testkit'
import type { guardedPaths } from '../apps/web/src/features/account/auth-search-params.ts'
import type { assetRoute } from '../apps/web/src/paths.ts'
import { clickCopyButton } from './click-copy-button.ts'
import { hostileResponses, hostileWalletName, installHostileWallet, setHostileResponse } from './hostile-wallet.ts'
import { waitForWalletState } from './scripted-wallet.ts'
import { type Login, startSession } from './session.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { useProduct } from './use-product.ts'
import { visit } from './visit.ts'

const product = useProduct()

const errorScreen = /This page stopped working|This page could not be loaded|Something went wrong/

/** Level 1 headings of all guarded pages. The type requires one for each path in `guardedPaths`. */
const headings: Record<(typeof guardedPaths)[number] | typeof assetRoute, string> = {
  '/dashboard': 'Market Insights Dashboard',
  '/notifications': 'Notifications',
  '/history': 'History',
  '/verification': 'Verification',
  '/settings': 'Settings',
  '/settings/channels': 'Channels',
  '/assets/$symbol': 'BTC/USDT',
  '/admin': 'Tocsin Admin',
}
const pagesBesidesDashboard = Object.entries(headings)
  .filter(([path]) => path !== '/dashboard')
  .map(([path, heading]) => ({ path: path.replace('$symbol', 'BTC-USDT'), heading }))

async function expectNoErrorScreen(page: Page): Promise<void> {
  await expect(page.getByText(errorScreen).filter({ visible: true })).toHaveCount(0)
}

/**
 * Opens all guarded pages, ending with the dashboard, and expects no error screen. All pages share
 * one wallet state, so the app need not be loaded again for each page.
 */
async function visitPages(page: Page, { isAdmin }: { isAdmin: boolean }): Promise<void> {
  for (const { path, heading } of pagesBesidesDashboard) {
    if (path === '/admin' && !isAdmin) continue
    await visit(page, product.url, path)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expectNoErrorScreen(page)
  }
  await visit(page, product.url, '/dashboard')
  const title = page.getByRole('heading', { name: headings['/dashboard'] })
  await expect(title.or(page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }))).toBeVisible()
  await expectNoErrorScreen(page)
}

async function openAsTrader(page: Page): Promise<void> {
  await openDashboard(page, product.trader)
}

async function openDashboard(page: Page, login: Login): Promise<void> {
  await startSession(page.context(), product.url, login)
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })).toBeVisible()
}

test('guarded pages: keep working when a wallet gives invalid responses while connecting', async ({ page }) => {
  await recordToasts(page.context())
  await installHostileWallet(page, testAccount(9).address)
  await openAsTrader(page)
  const dialog = page.getByRole('dialog')
  for (const response of hostileResponses) {
    await test.step(response, async () => {
      await setHostileResponse(page, response)
      await page.getByRole('main').getByRole('button', { name: 'Connect Wallet' }).click()
      await dialog.getByRole('button', { name: hostileWalletName }).click()
      if (response !== 'hang') {
        await expectToastIn(page, 'Connection Failed', /./)
        await expect(dialog.getByRole('alert')).toBeVisible()
      }
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(dialog).toHaveCount(0)
      await visitPages(page, { isAdmin: false })
    })
  }
})

test('guarded pages: keep working, even after a reload, when a connected wallet starts to give invalid responses', async ({
  page,
}) => {
  await installHostileWallet(page, testAccount(9).address)
  await openDashboard(page, product.admin)
  const title = page.getByRole('heading', { name: headings['/dashboard'] })
  for (const response of hostileResponses) {
    await test.step(response, async () => {
      await setHostileResponse(page, 'honest')
      const connect = await waitForWalletState(page)
      if (await connect.isVisible()) {
        await connect.click()
        await page.getByRole('dialog').getByRole('button', { name: hostileWalletName }).click()
      }
      await expect(title).toBeVisible()
      await setHostileResponse(page, response, { emits: true })
      await visitPages(page, { isAdmin: true })
      await page.reload()
      await waitForWalletState(page)
      await expectNoErrorScreen(page)
    })
  }
})

test('error screen: keeps the navigation, offers a report to copy and a retry when a page throws', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openAsTrader(page)
  await replaceWithBrokenScript(page, 'history-page', 'HistoryPage')
  await page.getByRole('link', { name: 'History' }).first().click()
  await expect(page.getByRole('alert').getByRole('heading', { name: 'This page stopped working' })).toBeVisible()
  const report = await page.getByText(/^Report [0-9A-F]{4}-[0-9A-F]{4}$/).textContent()
  await clickCopyButton(page.getByRole('button', { name: 'Copy report' }))
  const copiedReport = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
  expect(copiedReport).toMatchObject({ page: '/history', error: expect.stringContaining('broken on purpose') })
  expect(`Report ${copiedReport.report}`).toBe(report)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText(report ?? ''), 'the report of the first attempt').toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'This page stopped working' })).toBeVisible()
  // The navigation around the error screen still works.
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
})

test('error screen: is shown on public pages and in the admin area when a page throws', async ({ page }) => {
  await replaceWithBrokenScript(page, 'api-reference-page', 'ApiReferencePage')
  await page.goto(`${product.url}/contact-support`)
  await page.getByRole('link', { name: 'API Reference' }).first().click()
  await expect(page.getByRole('heading', { name: 'This page stopped working' })).toBeVisible()
  await replaceWithBrokenScript(page, 'admin-page', 'AdminPage')
  await startSession(page.context(), product.url, product.admin)
  await page.goto(`${product.url}/admin`)
  await expect(page.getByRole('heading', { name: 'This page stopped working' })).toBeVisible()
})

test('missing script: the page offers a reload that recovers when the script is available again', async ({ page }) => {
  await openAsTrader(page)
  const history = page.getByRole('link', { name: 'History' }).first()
  await page.route('**/assets/history-page*.js', (route) => route.fulfill({ status: 404, body: 'gone' }))
  await history.click()
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible()

  await page.route('**/assets/app*.js', (route) => route.fulfill({ status: 404, body: 'gone' }))
  await page.goto(`${product.url}/settings`)
  await expect(page.getByRole('alert').getByText(/^This page could not be loaded\./)).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('link', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
})

test('new version: the open page keeps working and offers a reload, but never reloads by itself', async ({ page }) => {
  await openAsTrader(page)
  const notice = page.getByText('A new version of Tocsin is ready.')
  await expect(notice).toHaveCount(0)
  await page.evaluate(() => Reflect.set(window, 'isSamePage', true))
  // Until the page is reloaded, all responses carry another build id. A response with the id of the
  // page itself would hide the notice again.
  let build: { 'tocsin-build'?: string } = { 'tocsin-build': 'next' }
  await page.route('**/api/**', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), ...build } })
  })
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await expect(notice).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  expect(await page.evaluate(() => Reflect.get(window, 'isSamePage'))).toBe(true)
  page.on('request', (request) => {
    if (request.isNavigationRequest()) build = {}
  })
  await page.getByRole('region', { name: 'New version' }).getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(notice).toHaveCount(0)
  expect(await page.evaluate(() => Reflect.has(window, 'isSamePage'))).toBe(false)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('logout: is repeated before the session is used again when the request did not reach the server', async ({
  page,
  context,
}) => {
  await openAsTrader(page)
  const otherTab = await context.newPage()
  await otherTab.goto(`${product.url}/settings`)
  await expect(otherTab.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await context.route('**/api/auth/logout', (route) => route.abort())
  await page.getByRole('button', { name: 'Logout' }).first().click()
  await expect(page).toHaveURL(`${product.url}/`)
  expect((await (await context.request.get(`${product.url}/api/auth/user`)).json()).success).toBe(true)

  const unconfirmedLogout = { name: 'Your logout is not confirmed' }
  await expect(otherTab.getByRole('heading', unconfirmedLogout), 'a page that was already open').toBeVisible()
  await page.goto(`${product.url}/dashboard`)
  await expect(page.getByRole('heading', unconfirmedLogout)).toBeVisible()
  await expect(page.getByText('your session may still be open on the server')).toBeVisible()

  await context.unrouteAll({ behavior: 'wait' })
  await page.reload()
  await expect(page).toHaveURL(/\/auth\?next=/)
  await otherTab.reload()
  await expect(otherTab).toHaveURL(/\/auth\?next=/)
  expect((await (await context.request.get(`${product.url}/api/auth/user`)).json()).success).toBe(false)
})

test('logout: a tab is blocked when storage marks the logout as pending, and opens the login when the logout is confirmed', async ({
  page,
  context,
}) => {
  await openAsTrader(page)
  await context.route('**/api/auth/logout', (route) => route.abort())
  // Only set the stored flag of a pending logout, as if the other tabs had not received the message
  // about the logout.
  const writer = await context.newPage()
  await writer.goto(`${product.url}/404`)
  await writer.evaluate(() => localStorage.setItem('logoutPending', 'true'))
  await expect(page.getByRole('heading', { name: 'Your logout is not confirmed' })).toBeVisible()
  await context.unrouteAll({ behavior: 'wait' })
  await expect(page).toHaveURL(/\/auth\?next=/)
})

test('logout: is shown as unconfirmed on a page that was still loading when another tab logged out', async ({
  page,
  context,
}) => {
  await startSession(context, product.url, product.trader)
  await context.route('**/api/auth/logout', (route) => route.abort())
  const writer = await context.newPage()
  await writer.goto(`${product.url}/404`)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/settings-page*.js', async (route) => {
    await released
    await route.continue()
  })
  // The page sends this request after it has identified the user and before it renders the app.
  const preferences = page.waitForRequest('**/api/settings/preferences')
  await page.goto(`${product.url}/settings`, { waitUntil: 'commit' })
  await preferences
  await writer.evaluate(() => localStorage.setItem('logoutPending', 'true'))
  release()
  await expect(page.getByRole('heading', { name: 'Your logout is not confirmed' })).toBeVisible()
})

/** Replaces the script of a page by a component that throws while rendering. */
async function replaceWithBrokenScript(page: Page, file: string, name: string): Promise<void> {
  const body = `export function ${name}() { throw new Error('broken on purpose') }`
  await page.route(`**/assets/${file}*.js`, (route) => route.fulfill({ contentType: 'text/javascript', body }))
}
