import { expect, type Page, test } from '@playwright/test'
import { closeByEscape } from './close-dialog.ts'
import { holdRequests } from './hold-requests.ts'
import { connectScriptedWallet, installWallet, openConnectedDashboard, type ScriptedWallet } from './scripted-wallet.ts'
import { startSession } from './session.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { useProduct } from './use-product.ts'

const product = useProduct()

const otherChain = 1

// All tests share one trader, so only the last one buys a plan.

test('purchase: is disabled until the wallet is switched back when it is on the wrong network', async ({ context }) => {
  await recordToasts(context)
  const { page, wallet } = await openDashboard(await context.newPage(), 5)
  // An open dialog hides the rest of the page from assistive technology.
  const header = page.getByRole('banner', { includeHidden: true })
  await expect(header.getByText('Wallet Connected')).toBeVisible()
  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('heading', { name: 'Confirm purchase' })).toBeVisible()
  await wallet.switchChain(otherChain)
  await expect(header.getByText('Wrong Network')).toBeAttached()
  await expect(header.getByText('Wallet Connected')).toHaveCount(0)
  await expect(dialog.getByText('Wrong Network')).toBeVisible()
  await expect(dialog.getByRole('button', { name: /Pay/i })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
  await page.route('**/api/wallets/challenge', (route) => route.abort())
  await dialog.getByRole('button', { name: 'Verify wallet and pay 10 ITO' }).click()
  await expectToastIn(page, 'Subscription Failed', /Failed to create user$/)
  await expect(dialog.getByRole('button', { name: 'Try again' })).toBeEnabled()
  expect(wallet.requestedMethods).not.toContain('eth_sendTransaction')
})

test('dashboard: shows its cards, five alerts and three activity rows, or empty states when there is no data', async ({
  context,
}) => {
  const page = await context.newPage()
  await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 5 })
  // Each login adds an activity row. More than three exist, so the dashboard must limit the list.
  for (let logins = 0; logins < 4; logins += 1) {
    const loginRequest = { data: product.trader, headers: { origin: product.url } }
    expect((await page.request.post(`${product.url}/api/auth/login`, loginRequest)).ok()).toBe(true)
  }
  await page.goto(`${product.url}/dashboard`)
  const main = page.getByRole('main')
  const connect = main.getByRole('button', { name: 'Connect Wallet' })
  await expect(connect).toBeVisible()
  await expect(main.getByRole('button'), 'no other button before a wallet is connected').toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Subscribe' })).toHaveCount(0)
  await connectScriptedWallet(page)
  const header = page.getByRole('banner')
  await expect(header.getByRole('heading', { name: 'Market Insights Dashboard', level: 1 })).toBeVisible()
  await expect(header.getByText('Real-time anomaly detection and market signals', { exact: true })).toBeVisible()
  await expect(header.getByText('Welcome, Jonas Lindqvist', { exact: true })).toBeVisible()
  await expect(header.getByRole('button', { name: 'Subscribe' })).toBeVisible()
  const findPanel = (name: string) => main.getByRole('region', { name, exact: true })
  await expect(findPanel('Subscription status')).toContainText('Inactive')
  const performance = findPanel('Market performance')
  await expect(performance).toContainText(/Success rate\s*Published baseline\s*94\.2%\s*Measured/)
  await expect(performance).toContainText(
    /Average confidence\s*Published baseline\s*0\.847\s*Measured, n [\d,]+\s*0\.\d{3}/,
  )
  await expect(findPanel('System status')).toContainText(/Analysis system\s*Online\s*WebSocket\s*Disconnected/)
  await expect(findPanel('Live insights').getByRole('listitem')).toHaveCount(5)
  const activityPanel = findPanel('Recent activity')
  // The header row counts too.
  await expect(activityPanel.getByRole('row')).toHaveCount(1 + 3)

  for (const url of ['**/api/alerts/recent*', '**/api/activity*']) {
    await page.route(url, (route) => route.fulfill({ json: [] }))
  }
  await page.route('**/api/alerts/search*', async (route) => {
    const searchResponse = await (await route.fetch()).json()
    await route.fulfill({ json: { ...searchResponse, items: [], next: null } })
  })
  await page.reload()
  await expect(findPanel('Live insights')).toContainText('No alerts yet')
  await expect(main.getByRole('region', { name: 'Alerts', exact: true })).toContainText('No alerts yet')
  await expect(activityPanel).toContainText('No activity yet')
  await activityPanel.getByRole('link', { name: 'View all' }).click()
  await expect(findPanel('Activity')).toContainText('No activity yet')
  await expect(main.getByRole('link', { name: 'View all' })).toHaveCount(0)
  await page.unrouteAll({ behavior: 'wait' })
})

test('wallet: connecting, rejecting and disconnecting show toasts, a disconnected wallet stays disconnected after a reload, and alerts are shown while the wallet code loads', async ({
  context,
}) => {
  await recordToasts(context)
  const page = await context.newPage()
  await page.addInitScript(recordHashes)
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex: 5 })
  await startSession(context, product.url, product.trader)
  await page.goto(`${product.url}/dashboard`)
  const connect = page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })
  const scriptedWalletButton = page.getByRole('dialog').getByRole('button', { name: 'Scripted Wallet' })
  const sidebar = page.getByRole('complementary')
  await expect(sidebar.getByText('Market Intelligence')).toBeVisible()
  await expect(sidebar.getByText('Not connected')).toBeVisible()
  await expect(sidebar.getByText('Disconnected')).toBeVisible()
  const entries = sidebar.getByRole('navigation').getByRole('link')
  await expect(entries).toHaveText(['Home', 'Dashboard', /^Notifications/, 'History', 'Verification', 'Settings'])
  await expect(entries.locator('svg')).toHaveCount(6)
  await expect(sidebar.locator('[aria-current=page]')).toHaveText('Dashboard')
  await connect.click()
  wallet.rejectNext('eth_requestAccounts')
  await scriptedWalletButton.click()
  await expectToastIn(page, 'Connection Failed', 'User rejected the request.')
  await expect(page.getByText('User rejected the request.').first()).toBeVisible()
  wallet.respondNext('eth_requestAccounts', [])
  await scriptedWalletButton.click()
  await expectToastIn(page, 'Connection Failed', 'No accounts found')
  await expect(page.getByText('No accounts found').first()).toBeVisible()

  await scriptedWalletButton.click()
  const shortAddress = `${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}`
  await expectToastIn(page, 'Wallet Connected', shortAddress)
  await expect(sidebar.getByText(shortAddress)).toBeVisible()
  await expect(sidebar.getByText('Connected', { exact: true })).toBeVisible()
  await page.getByRole('banner').getByRole('button', { name: 'Subscribe' }).click()
  const purchase = page.getByRole('dialog').filter({ hasText: 'Subscribe to Insights' })
  await expect(purchase.getByRole('heading', { name: 'Subscribe to Insights' })).toBeVisible()
  await closeByEscape(purchase)
  expect(await page.evaluate(() => Reflect.get(window, 'hashes'))).toContain('#wallet-connected')
  await expect(page).toHaveURL(/\/dashboard$/)

  // A stored flag keeps the wallet disconnected, even if the wallet still exposes its account.
  wallet.rejectNext('wallet_revokePermissions')
  await page.getByRole('button', { name: 'Disconnect wallet' }).click()
  await expectToastIn(page, 'Wallet Disconnected', 'Your wallet has been disconnected successfully')
  expect(wallet.requestedMethods).toContain('wallet_revokePermissions')
  await page.reload()
  await expect(connect).toBeVisible()

  await connect.click()
  await scriptedWalletButton.click()
  await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()

  // The alerts are shown while the wallet code loads. They are hidden again if no wallet is
  // connected.
  const releaseWalletCode = await holdRequests(page, '**/assets/engine-*.js')
  await page.reload()
  const rows = page.locator('[data-alert-row]')
  await expect(rows.first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Balance / })).toHaveCount(0)
  await expect(page.getByRole('banner').getByRole('button', { name: 'Subscribe' })).toHaveCount(0)
  releaseWalletCode()
  await expect(sidebar.getByText('Connected', { exact: true })).toBeVisible()
  wallet.respondNext('eth_accounts', [])
  await expect(connect).toBeVisible()
  await expect(rows).toHaveCount(0)
})

test('purchase: can be stopped and retried, and leaves no pending payment, when the wallet hangs or returns an invalid hash', async ({
  context,
}) => {
  const { page, wallet } = await openDashboard(await context.newPage(), 6)
  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  const dialog = page.getByRole('dialog')
  wallet.respondNext('eth_sendTransaction', new Promise(() => {}))
  await dialog.getByRole('button', { name: 'Verify wallet and pay 10 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()
  // The dialog shows its heading before it sends the request. Wait for the first request, because
  // the response below is for the second one.
  await expect.poll(() => wallet.requestedMethods).toContain('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Stop waiting' }).click()
  await expect(dialog.getByText(/We stopped waiting for your wallet/)).toBeVisible()

  wallet.respondNext('eth_sendTransaction', { not: 'a hash' })
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByText(/Your wallet returned no transaction/)).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Subscribe' }).first()).toBeVisible()
})

test('session: shows an error when the server does not respond, and the sign-in page when the session was ended elsewhere', async ({
  context,
}) => {
  const { page } = await openDashboard(await context.newPage(), 7)
  await page.route('**/api/auth/user', (route) => route.fulfill({ status: 503, body: '' }))
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Tocsin is not responding' })).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()

  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const headers = { 'content-type': 'application/json', origin: product.url, cookie }
  // End the session only when the opened page sends a request: an earlier poll would detect the end
  // and remove the link. End it only once, because the page then repeats the request.
  await page.route(
    '**/api/activity?*',
    async (route) => {
      const logoutResponse = await fetch(`${product.url}/api/auth/logout`, { method: 'POST', headers, body: '{}' })
      expect(logoutResponse.status).toBe(200)
      await route.continue()
    },
    { times: 1 },
  )
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page).toHaveURL(/\/auth\?next=%2Fhistory/)
})

test('tabs: a purchase and a logout apply in all tabs when they are made in one', async ({ context }) => {
  const { page, wallet } = await openDashboard(await context.newPage(), 4)
  const otherPage = (await openDashboard(await context.newPage(), 4, { isSignedIn: true })).page
  await expect(otherPage.getByText('Inactive', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  await page.getByRole('button', { name: 'Verify wallet and pay 10 ITO' }).dblclick()
  await expect(page.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await expect(otherPage.getByText('Active', { exact: true })).toBeVisible()
  await expect(otherPage.getByText('Live', { exact: true })).toBeVisible()
  await expect(otherPage.getByRole('button', { name: 'Balance 990 ITO, refresh' })).toBeVisible()
  expect(wallet.requestedMethods.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)

  await otherPage.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/auth/)
})

/** Runs in the page before its scripts. Records every URL hash that is set with `replaceState`. */
function recordHashes(): void {
  const hashes: string[] = []
  Reflect.set(window, 'hashes', hashes)
  const { replaceState } = history
  history.replaceState = (state, unused, url) => {
    replaceState.call(history, state, unused, url)
    hashes.push(location.hash)
  }
}

/** Opens the dashboard as the demo trader, with a connected wallet that is not proved. */
async function openDashboard(
  page: Page,
  accountIndex: number,
  { isSignedIn = false } = {},
): Promise<{ page: Page; wallet: ScriptedWallet }> {
  const wallet = await installWallet(page, { chainUrl: product.chainUrl, accountIndex, isConnected: true })
  if (!isSignedIn) await startSession(page.context(), product.url, product.trader)
  await page.goto(`${product.url}/dashboard`)
  await openConnectedDashboard(page)
  return { page, wallet }
}
