import { readFile } from 'node:fs/promises'
import { type Browser, expect, type Locator, type Page, type Request, type Route, test } from '@playwright/test'
import { createTestClient, testAccount, waitForReceipt } from '@tocsin/testkit'
import { createWalletClient, type Hex, http, parseAbi, parseEther, publicActions } from 'viem'
import { type HDAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { expectAccessible } from './accessible.ts'
import { formatAlertNumber } from './alert-number.ts'
import { closeByEscape } from './close-dialog.ts'
import { createEngineStatus } from './engine-status.ts'
import { holdRequests } from './hold-requests.ts'
import { openLocalChain, RPC_TIMEOUT_MS } from './local-chain.ts'
import { logIn } from './log-in.ts'
import { type Product, startProduct } from './product.ts'
import { connectScriptedWallet, installWallet } from './scripted-wallet.ts'
import { confirmByPassword, keepConfirmed, proveWallet, requireConfirmation, startSession } from './session.ts'
import { buyPlan } from './shop.ts'
import { startSignalFeed } from './signal-feed.ts'
import { tabTo } from './tab-to.ts'
import { expectToastIn, recordToasts } from './toasts.ts'
import { visit } from './visit.ts'
import { waitPastMidnight } from './wait-past-midnight.ts'

let product: Product
/** The page of the signed-in admin, shared by all tests. Each test opens its own view first. */
let page: Page
let pageErrors: string[]

const traderWalletIndex = 5
const unknownWalletIndex = 6
const overpayerWalletIndex = 7
const traderName = 'Jonas Lindqvist'

// Later tests depend on the data of earlier ones.
test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  product = await startProduct()
  await subscribeTrader(browser)
  const context = await browser.newContext({ acceptDownloads: true })
  await recordToasts(context)
  page = await context.newPage()
  pageErrors = collectPageErrors(page)
  await startSession(context, product.url, product.admin)
  await loadView('')
})
test.afterAll(async () => {
  await page?.context().close()
  await product?.discard()
})
test.beforeEach(() => waitPastMidnight(5 * 60_000))
test.beforeEach(
  keepConfirmed(
    () => confirmByPassword(page.context(), product.url, product.admin),
    () => page,
  ),
)
test.afterEach(() => {
  expect(pageErrors.splice(0)).toEqual([])
})

test('dashboard: shows measured values, and errors when they cannot be fetched', async () => {
  await openView('?tab=dashboard')
  const header = page.getByRole('banner')
  await expect(header.getByRole('heading', { name: 'Tocsin Admin', level: 1 })).toBeVisible()
  await expect(header.getByText('System Active', { exact: true })).toBeVisible()
  await expect(page.getByRole('tab')).toHaveText([
    'Business',
    'Dashboard',
    'Alerts',
    'User Management',
    'Support messages',
  ])
  const cards = page.getByRole('main')
  await expect(cards.getByText(/^\d{1,2}\.\d%$/), 'the average confidence').toBeVisible()
  for (const title of ['Total Alerts', 'Critical Alerts', 'Active Users', 'Avg Confidence']) {
    await expect(cards.getByText(title, { exact: true })).toBeVisible()
  }
  for (const [name, value] of [
    ['Analysis system', /Online/],
    ['WebSocket', /Connected, \d+ client/],
    ['Signal feed', /Connected/],
    ['Anchor chain', /Last anchor/],
    ['Payment watcher', /Up to date|Behind by/],
    ['Uptime', /\d\d:\d\d:\d\d/],
    ['Signals received', /\d/],
  ] as const) {
    await expect(findRow(name), name).toContainText(value)
  }
  await expect(page.getByRole('region', { name: 'Keys, balances and storage' })).toContainText('Anchors funded')
  await expectAccessible(page, 'dashboard')

  // Calls fail until the click on "Try again", because the page also repeats them by itself.
  const isRetried = () => page.evaluate(() => 'isRetried' in window).catch(() => false)
  await page.route('**/api/admin/{stats,system}', async (route) =>
    (await isRetried()) ? route.continue() : route.fulfill({ status: 503, body: '' }),
  )
  await page.route('**/api/admin/{websocket/config,settings/chain_id}', async (route) =>
    (await isRetried()) ? route.continue() : route.abort(),
  )
  await page.reload()
  for (const message of [
    'Failed to fetch admin statistics',
    'Failed to fetch the system status',
    'Failed to fetch the signal configuration',
    'Failed to fetch the chain configuration',
  ]) {
    await expect(page.getByText(message)).toBeVisible()
  }
  const retryButton = page.getByRole('button', { name: 'Try again' }).first()
  await retryButton.evaluate((button: HTMLElement) => {
    Object.assign(window, { isRetried: true })
    button.click()
  })
  await expect(page.getByText('Failed to fetch admin statistics')).toBeHidden()
  await page.unrouteAll({ behavior: 'wait' })

  await loadView('?tab=dashboard')
  await expect(findRow('Uptime')).toBeVisible()
  await expect(page.getByText('Over all alerts')).toBeVisible()
  await page.route('**/api/admin/{stats,system}', (route) => route.abort())
  await createAlertByApi('What changes the figures.')
  await expect(page.getByText('Failed to fetch admin statistics. Showing the last known values.')).toBeVisible()
  await sendByApi(`${product.url}/api/admin/payments/reconciliation`, {})
  await expect(page.getByText('Failed to refresh the status. Showing the last known values.')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
})

test('signal feed: the form validates, tests and saves settings and never shows the stored API key', async () => {
  await openView('?tab=dashboard')
  const panel = page.getByRole('region', { name: 'External Signal Configuration' })
  const endpoint = panel.getByLabel('Endpoint')
  await expect(endpoint).toHaveValue(/^ws:/)
  const demoFeed = await endpoint.inputValue()
  const key = panel.getByLabel('API key', { exact: true })
  const saveButton = panel.getByRole('button', { name: 'Save Configuration' })
  const testButton = panel.getByRole('button', { name: 'Test Connection' })
  const inUseRegion = panel.getByRole('region', { name: 'In use' })
  await expect(panel.getByLabel('Enabled')).toBeChecked()
  await expect(key).toHaveAttribute('type', 'password')
  for (const [label, value, min, max] of [
    ['Reconnect interval', '30', '5', '300'],
    ['Max retries', '5', '1', '20'],
  ] as const) {
    const field = panel.getByLabel(label)
    await expect(field).toHaveValue(value)
    await expect(field).toHaveAttribute('min', min)
    await expect(field).toHaveAttribute('max', max)
  }
  await expect(inUseRegion).toContainText('From the environment. Saved settings override it.')
  await expect(inUseRegion).toContainText(`Connected${demoFeed}`)
  await expect(findRow('Signal feed')).toContainText(demoFeed)

  await endpoint.fill('wss://signals.example')
  await expect(panel.getByText('Not saved yet. The endpoint above stays in use until you save.')).toBeVisible()
  await expect(inUseRegion, 'still shows the saved endpoint').toContainText(`Connected${demoFeed}`)
  await expectAccessible(page, 'unsaved feed settings')
  await panel.getByRole('button', { name: 'Discard' }).click()
  await expect(endpoint).toHaveValue(demoFeed)
  await expect(panel.getByText('Unsaved changes')).toBeHidden()

  await endpoint.fill(`wss://${'x'.repeat(2_000)}`)
  await key.fill('k'.repeat(1_001))
  await saveButton.click()
  for (const maxLength of ['2,000', '1,000'])
    await expect(panel.getByText(`At most ${maxLength} characters`)).toBeVisible()
  await endpoint.fill('https://signals.example')
  await key.fill('two words')
  await panel.getByLabel('Reconnect interval').fill('4')
  await panel.getByLabel('Max retries').fill('21')
  await saveButton.click()
  for (const message of [
    'Start with ws:// or wss://',
    'Only English letters, digits and punctuation, without spaces',
    'Enter a whole number from 5 to 300',
    'Enter a whole number from 1 to 20',
  ]) {
    await expect(panel.getByText(message)).toBeVisible()
  }
  await expectAccessible(page, 'invalid feed settings')
  await endpoint.fill('')
  await saveButton.click()
  await expect(panel.getByText('Enter the endpoint, or switch the feed off')).toBeVisible()

  await key.fill('')
  await panel.getByLabel('Reconnect interval').fill('30')
  await panel.getByLabel('Max retries').fill('5')
  for (const [invalidEndpoint, message] of [
    ['ws://user:secret@127.0.0.1:9', 'The endpoint must not contain a user name or password'],
    ['ws://127.0.0.1:9/#part', 'The endpoint must not have a fragment'],
    ['ws://', 'The endpoint must be ws:// or wss://'],
  ] as const) {
    await endpoint.fill(invalidEndpoint)
    await saveButton.click()
    await expectToast('Update Failed', message)
    await testButton.click()
    await expectToast('Connection Failed', message)
  }
  await key.fill('a-key-of-no-feed-7777')
  await endpoint.fill('ws://127.0.0.1:9')
  // The text disappears with the response.
  const release = await holdRequests(page, '**/api/admin/websocket/test')
  await testButton.click()
  await expect(
    panel.getByText('Connecting, then waiting for a signal. The test takes up to eight seconds…'),
  ).toBeVisible()
  release()
  await page.unrouteAll({ behavior: 'wait' })
  await expectToast('Connection Failed', /could not be reached|refused/i)
  await expect(panel.getByRole('region', { name: 'Result of the test' })).toBeVisible()

  const invalidFeed = await startSignalFeed('{"id":"wrong"}')
  await endpoint.fill(invalidFeed.endpoint)
  await testButton.click()
  await expectToast('Connection Failed', /Connected, but the first signal is not valid\. asset/)
  await expect(panel.getByText(/^Connected after \d+ ms\.$/)).toBeVisible()
  invalidFeed.close()
  const closingFeed = await startSignalFeed()
  closingFeed.closeNewConnections()
  await endpoint.fill(closingFeed.endpoint)
  await testButton.click()
  await expectToast('Connection Failed', 'Connected, then: The feed closed the connection')
  expect(closingFeed.authorization()).toBe('Bearer a-key-of-no-feed-7777')
  closingFeed.close()

  const signal = {
    id: 'e2e-1',
    asset: 'DOGE/USDT',
    anomalyType: 'Volume spike',
    confidence: 91.4,
    regime: 'Range',
    summary: 'First signal of the test feed.',
    priority: 'high',
    observedAt: new Date().toISOString(),
  }
  const feed = await startSignalFeed(JSON.stringify(signal))
  try {
    await endpoint.fill(feed.endpoint)
    await key.fill('a-key-of-the-test-4242')
    await testButton.click()
    await expectToast('Connection Test successful', /first signal is valid/)
    await expect(panel.getByText(signal.summary)).toBeVisible()
    await expect(panel.getByText(`Tested: ${feed.endpoint}, not saved.`)).toBeVisible()
    await expect(inUseRegion).toContainText(demoFeed)
    expect(feed.authorization()).toBe('Bearer a-key-of-the-test-4242')
    await expectAccessible(page, 'feed tested')

    await requireConfirmation(page, '**/api/admin/websocket/config')
    await saveButton.click()
    const confirmDialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirmDialog.getByRole('button', { name: 'Close' }).click()
    await expectToast('Nothing was changed', 'Your identity was not confirmed. Nothing was changed.')
    await requireConfirmation(page, '**/api/admin/websocket/config')
    await saveButton.click()
    await confirmIdentity()
    await expectToast('WebSocket Config Updated', /saved/)
    await expect(key).toHaveValue('')
    await expect(key).toHaveAttribute('placeholder', /…4242$/)
    await expect(page.getByText('Leave empty to keep the stored key')).toBeVisible()
    await expect(inUseRegion).toContainText(`${feed.endpoint}Saved here.`)
    await expect(findRow('Signal feed')).toContainText(feed.endpoint)
    expect(await page.content()).not.toContain('a-key-of-the-test')
  } finally {
    feed.close()
  }
  const failReadRequests = (route: Route) =>
    route.request().method() === 'GET' ? route.fulfill({ status: 503, body: '' }) : route.fallback()
  await page.route('**/api/admin/websocket/config', failReadRequests)
  await key.fill('a-key-of-no-feed-8888')
  await saveButton.click()
  await expectToast('WebSocket Config Updated', /saved/)
  await expect(key, 'after the saved configuration could not be read').toHaveValue('')
  await page.unroute('**/api/admin/websocket/config', failReadRequests)
  await endpoint.fill(demoFeed)
  await panel.getByLabel('Remove the stored key').check()
  await panel.getByLabel('Enabled').uncheck()
  await saveButton.click()
  await expectToast('WebSocket Config Updated', /saved/)
  await expect(key).toHaveAttribute('placeholder', 'No key stored')
  await expect(findRow('Signal feed')).toContainText('Off')
})

test('chain: a change shows a warning and asks for confirmation, and is rejected when the product is a demo', async () => {
  await openView('?tab=dashboard')
  const panel = page.getByRole('region', { name: 'Chain Configuration' })
  await expect(panel).toContainText(/Current network\s*Local Chain\s*Chain ID\s*31337/)
  await expect(panel.getByText('Changing it affects all users, who must switch networks.')).toBeVisible()
  await panel.getByRole('button', { name: 'Update chain' }).click()
  await expectToast('No Change', 'Chain ID is already set to this value.')

  await panel.getByLabel('Change to').selectOption('137')
  await expect(panel.getByText(/must switch their wallet to Polygon/)).toBeVisible()
  await expect(panel.getByText(/No node is configured for Polygon/)).toBeVisible()
  await panel.getByRole('button', { name: 'Update chain' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change to Polygon (MATIC)?' })
  await dialog.getByLabel('Description').fill('cheaper')
  await expectAccessible(page, 'change chain')
  await requireConfirmation(page, '**/api/admin/settings/chain_id')
  await dialog.getByRole('button', { name: 'Change chain' }).click()
  await confirmIdentity()
  await expectToast('Error', 'This is a demo on a local chain: it can’t be pointed at a real one.')
  await page.route('**/api/admin/settings/chain_id', (route) => route.abort())
  await dialog.getByRole('button', { name: 'Change chain' }).click()
  await expectToast('Error', 'Failed to update chain configuration.')
  await page.unrouteAll({ behavior: 'wait' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(panel.getByRole('button', { name: 'Update chain' }), 'focus is restored').toBeFocused()
})

test('alerts: the form validates, creates alerts with and without broadcast, and asks to type CRITICAL when an alert is critical', async () => {
  await openView('?tab=alerts')
  const confidence = page.getByLabel('Confidence')
  await expect(confidence).toHaveAttribute('type', 'number')
  for (const [name, value] of [
    ['min', '0'],
    ['max', '100'],
    ['step', '0.1'],
  ] as const) {
    await expect(confidence).toHaveAttribute(name, value)
  }
  await expect(page.getByRole('radio', { name: 'Medium' })).toBeChecked()
  await expect(page.getByLabel('Broadcast immediately')).toBeChecked()
  await page.getByRole('button', { name: 'Create Alert' }).click()
  await expectToast('Validation Error', 'Please fill in all required fields.')
  for (const message of ['Enter an asset', 'Enter a number from 0 to 100', 'Enter a summary']) {
    await expect(page.getByText(message)).toBeVisible()
  }
  await expectAccessible(page, 'invalid alert form')
  for (const [label, maxLength] of [
    ['Asset', 40],
    ['Anomaly type', 80],
    ['Regime', 80],
    ['Summary', 1_000],
  ] as const) {
    await page.getByLabel(label).fill('x'.repeat(maxLength + 1))
  }
  await page.getByLabel('Confidence').fill('100.1')
  await page.getByRole('button', { name: 'Create Alert' }).click()
  await expectToast('Validation Error', 'Please fill in all required fields.')
  await expect(page.getByText('Enter a number from 0 to 100')).toBeVisible()
  for (const [maxLength, times] of [
    ['40', 1],
    ['80', 2],
    ['1,000', 1],
  ] as const) {
    await expect(page.getByText(`At most ${maxLength} characters`)).toHaveCount(times)
  }
  for (const label of ['Anomaly type', 'Regime']) await page.getByLabel(label).fill('')

  await fillAlertForm('Made and kept back.', 'Low')
  await page.getByLabel('Broadcast immediately').uncheck()
  await page.getByRole('button', { name: 'Create Alert' }).click()
  await expectToast('Alert Created', 'New market alert has been created. It was not broadcast.')
  await expect(page.getByLabel('Asset'), 'the form is reset').toHaveValue('')
  await expect(page.getByRole('radio', { name: 'Medium' })).toBeChecked()

  await fillAlertForm('Made to wake people.', 'Critical')
  await expect(page.getByText(/to \d+ connected clients?; \d+ accounts? may read it/)).toBeVisible()
  await page.getByRole('button', { name: 'Create Alert' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send a critical alert' })
  await expect(dialog.getByText('Made to wake people.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Create and broadcast' }).click()
  await expect(dialog.getByText('Type CRITICAL to send it')).toBeVisible()
  await expectAccessible(page, 'critical alert')
  await dialog.getByLabel('Type CRITICAL to confirm').fill('critical')
  await page.route('**/api/alerts', (route) => route.abort())
  await page.keyboard.press('Enter')
  await expectToast('Error', 'Failed to create alert. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  const fault = { success: false, code: 'internal_error', message: 'Something went wrong on our side', requestId: 'r' }
  await page.route('**/api/alerts', (route) => route.fulfill({ status: 500, json: fault }))
  await page.keyboard.press('Enter')
  await expectToast('Error', 'Failed to create alert. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  // Simulate the error of a stopped log, because this test cannot stop the log.
  const stoppedLogResponse = {
    success: false,
    code: 'log_stopped',
    message: 'The log is stopped: it forked',
    requestId: 'r',
  }
  await page.route('**/api/alerts', (route) => route.fulfill({ status: 503, json: stoppedLogResponse }))
  await page.keyboard.press('Enter')
  await expectToast('Error', stoppedLogResponse.message)
  await page.unrouteAll({ behavior: 'wait' })
  await page.keyboard.press('Enter')
  await expectToast('Alert Created', 'New market alert has been created and broadcasted.')
  await expect(page.getByRole('radio', { name: 'Medium' }), 'the form is reset').toBeChecked()

  const history = page.getByRole('region', { name: 'Alert History' })
  await page.getByLabel('Search alerts').fill('kept back')
  await expect(history.getByRole('listitem')).toHaveCount(1)
  await expect(history.getByText('Not broadcast')).toBeVisible()
  await expect(history.getByRole('listitem')).toContainText(
    /Low.*ETH\/USDT.*#[\d,]+.*\d\d:\d\d:\d\d.*Confidence\s*97\.3%/s,
  )
  await history.getByRole('button', { name: /^Broadcast #/ }).click()
  const broadcastDialog = page.getByRole('dialog', { name: /^Broadcast #[\d,]+$/ })
  await page.route('**/broadcast', (route) => route.abort())
  await broadcastDialog.getByRole('button', { name: 'Broadcast' }).click()
  await expectToast('Error', 'Failed to broadcast alert. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  await broadcastDialog.getByRole('button', { name: 'Broadcast' }).click()
  await expectToast('Alert Broadcasted', /sent to all connected clients/)

  await history.getByRole('button', { name: /^Broadcast again #/ }).click()
  const rebroadcastDialog = page.getByRole('dialog', { name: /^Broadcast #[\d,]+ again$/ })
  await expect(rebroadcastDialog).toContainText(/Sent once, \d\d:\d\d:\d\d\. It is sent again immediately/)
  await expectAccessible(page, 'broadcast again')
  await rebroadcastDialog.getByRole('button', { name: 'Broadcast again' }).click()
  await expectToast('Alert Broadcasted', /sent to all connected clients/)
  await expect(history.getByRole('listitem')).toContainText(/Broadcast 2 times last \d\d:\d\d:\d\d/)

  await page.getByLabel('Filter by priority').selectOption('critical')
  await expect(page.getByText('No alerts match')).toBeVisible()
  await expect(page).toHaveURL(/priority=critical/)
  await page.getByRole('button', { name: 'Clear search and filter' }).click()
  await expect(page.getByText(/Showing 50 of \d+/)).toBeVisible()
  await page.route('**/api/admin/alerts?*cursor=*', (route) => route.abort())
  // A refetch of the list, such as after an anchor, hides the error. The button is then labelled
  // "Load more" instead of "Try again".
  const loadMore = history.getByRole('button', { name: /^(Try again|Load more)$/ })
  const failure = page.getByText('Failed to load the next page.')
  await expect(async () => {
    if (!(await failure.isVisible())) await loadMore.click()
    expect(await failure.isVisible()).toBe(true)
  }).toPass()
  await page.unrouteAll({ behavior: 'wait' })
  await loadMore.click()
  await expect(page.getByText(/Showing 100 of \d+/)).toBeVisible()
  const list = page.getByRole('region', { name: 'Alerts, newest first' })
  await page.evaluate(() => scrollTo(0, 0))
  const readBottom = async () => {
    const box = await history.boundingBox()
    return (box?.y ?? 0) + (box?.height ?? 0)
  }
  await expect(async () => {
    const bottom = await readBottom()
    expect(bottom, 'the list ends just above the lower edge of the window').toBeLessThanOrEqual(900)
    expect(bottom).toBeGreaterThan(850)
  }).toPass()
  await page.setViewportSize({ width: 1440, height: 500 })
  await expect.poll(() => list.evaluate(({ clientHeight }) => clientHeight), 'a low window').toBe(384)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('users: an admin can search, extend, inspect, suspend, unsuspend and cancel, and a failed action shows an error', async ({
  browser,
}) => {
  await openView('?tab=users')
  await expect(page.getByText(/^Total users\s*\d+$/)).toBeVisible()
  await expect(page.getByText(/^Active subscriptions\s*1$/)).toBeVisible()
  const buyer = page.getByRole('row', { name: traderName })
  const wallet = testAccount(traderWalletIndex).address
  for (const shownText of [
    'Regular User',
    'Active: 6h',
    product.trader.email,
    `${wallet.slice(0, 6)}…${wallet.slice(-4)}`,
  ]) {
    await expect(buyer).toContainText(shownText)
  }
  const rowWithoutPlan = page.getByRole('row', { name: 'Mara Okafor' })
  await expect(rowWithoutPlan).toContainText('No Subscription')
  await expect(rowWithoutPlan.getByRole('button', { name: /Extend|Cancel/ })).toHaveCount(0)
  await expect(page.getByRole('row', { name: product.admin.email })).toContainText('Owner')
  await expectAccessible(page, 'users')
  await page.getByLabel('Search users').fill('1234567890123456789012345678901234567890')
  await expect(page.getByText('No users match')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Search users'), 'the search text is kept as typed').toHaveValue(
    '1234567890123456789012345678901234567890',
  )
  await page.getByRole('button', { name: 'Clear search and filter' }).click()
  await expect(page).not.toHaveURL(/search=/)
  await page.getByLabel('Filter users').selectOption('active')
  await expect(page).toHaveURL(/filter=active/)
  await expect(page.getByText('Showing 1 of 1')).toBeVisible()

  const extendDialog = page.getByRole('dialog', { name: 'Extend subscription' })
  await page.getByRole('button', { name: `Extend the subscription of ${traderName}` }).click()
  for (const hours of ['', '0', '1.5', '8761', '-6']) {
    await extendDialog.getByLabel('Hours to add').fill(hours)
    await page.keyboard.press('Enter')
    await expectToast('Invalid Input', 'Please enter a valid number of hours.')
  }
  await expectAccessible(page, 'invalid extension')
  const openToast = page.locator('li.toast[data-state=open]')
  const hideButton = openToast.getByLabel('Hide message')
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: width === 390 ? 640 : 900 })
    await extendDialog.getByLabel('Hours to add').fill('0')
    // The pointer over the toast keeps it open. If the pointer comes after the five seconds of the
    // toast, show the toast again.
    await expect(async () => {
      await page.keyboard.press('Enter')
      await expectToast('Invalid Input', 'Please enter a valid number of hours.')
      await hideButton.hover({ timeout: 4_000 })
    }).toPass()
    await expectNothingCovered(extendDialog)
    await hideButton.click()
    await expect(openToast).toHaveCount(0)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const [preset, hours] of [
    ['6h', '6'],
    ['24h', '24'],
    ['3d', '72'],
    ['1w', '168'],
  ] as const) {
    await extendDialog.getByRole('button', { name: preset, exact: true }).click()
    await expect(extendDialog.getByLabel('Hours to add')).toHaveValue(hours)
  }
  await extendDialog.getByLabel('Reason').fill('x'.repeat(501))
  await extendDialog.getByRole('button', { name: 'Extend by 168 h' }).click()
  await expect(extendDialog.getByText('At most 500 characters')).toBeVisible()
  await extendDialog.getByLabel('Reason').fill('')
  await page.route('**/extend-subscription', (route) => route.abort())
  await extendDialog.getByRole('button', { name: 'Extend by 168 h' }).click()
  await expectToast('Error', 'Failed to extend subscription.')
  await page.unrouteAll({ behavior: 'wait' })
  await extendDialog.getByLabel('Reason').fill('an apology')
  await extendDialog.getByRole('button', { name: 'Extend by 168 h' }).click()
  await expectToast('Subscription Extended', 'Subscription extended by 168 hours.')
  await expect(page.getByRole('row', { name: traderName })).toContainText('Active: 6h+168 h')

  await page.getByRole('button', { name: traderName, exact: true }).click()
  const detail = page.getByRole('dialog', { name: traderName })
  const facts = ['User ID', 'Account type', 'Name', 'Email', 'Wallet', 'Created']
  for (const field of [...facts, 'Plan', 'Token amount', 'Start', 'Expiry']) {
    await expect(detail.getByText(field, { exact: true }).first(), field).toBeVisible()
  }
  await expect(detail).toContainText('Account typeRegular User')
  await detail.getByRole('button', { name: 'Extend', exact: true }).click()
  await expect(extendDialog.getByLabel('Hours to add')).toHaveAttribute('type', 'number')
  await expect(extendDialog.getByLabel('Hours to add')).toHaveAttribute('min', '1')
  await expect(extendDialog.getByLabel('Hours to add')).toHaveAttribute('max', '8760')
  await extendDialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(detail.getByText('10 ITO tokens')).toBeVisible()
  await expect(detail.getByText('Transaction hash')).toBeVisible()
  await expect(detail.getByText('6 hours, extended by 168 hours')).toBeVisible()
  await expect(detail.getByRole('region', { name: 'Extensions' })).toContainText(
    /168 hours.*by Administrator, \d\d \w+ \d\d:\d\d:\d\d“an apology”/,
  )
  await expectAccessible(page, 'user detail')
  await detail.getByRole('button', { name: 'End all' }).click()
  await expectToast('Sessions Ended', /session/)
  await expect(detail.getByText('No active sessions')).toBeVisible()

  await detail.getByRole('button', { name: 'Suspend…' }).click()
  const suspendDialog = page.getByRole('dialog', { name: 'Suspend' })
  await suspendDialog.getByRole('button', { name: 'Suspend' }).click()
  await expect(suspendDialog.getByText('Enter a reason. It is kept in the audit log.')).toBeVisible()
  await suspendDialog.getByLabel('Reason').fill('x'.repeat(501))
  await expect(suspendDialog.getByText('At most 500 characters')).toBeVisible()
  await suspendDialog.getByLabel('Reason').fill('shared the account')
  await expectAccessible(page, 'suspend')
  await requireConfirmation(page, '**/suspend')
  await suspendDialog.getByRole('button', { name: 'Suspend' }).click()
  await confirmIdentity()
  await expectToast('User Suspended', 'The account is suspended and signed out everywhere.')
  await expect(detail.getByText('shared the account', { exact: true })).toBeVisible()
  await expect(detail.getByText('“shared the account”'), 'the timeline is updated').toBeVisible()
  const otherContext = await browser.newContext()
  await recordToasts(otherContext)
  const otherPage = await otherContext.newPage()
  await otherPage.goto(`${product.url}/auth`)
  await logIn(otherPage, product.trader)
  await expectToastIn(otherPage, 'Login Failed', /./)
  await otherContext.close()
  await detail.getByRole('button', { name: 'Unsuspend…' }).click()
  const unsuspendDialog = page.getByRole('dialog', { name: 'Unsuspend' })
  await unsuspendDialog.getByLabel('Reason').fill('a mistake of ours')
  await page.route('**/unsuspend', (route) => route.abort())
  await unsuspendDialog.getByRole('button', { name: 'Unsuspend' }).click()
  await expectToast('Error', 'Failed to unsuspend the user. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  await unsuspendDialog.getByRole('button', { name: 'Unsuspend' }).click()
  await expectToast('User Unsuspended', 'The account can sign in again.')

  for (const [label, value] of [
    ['Support', 'support'],
    ['Regular User', 'user'],
  ] as const) {
    await detail.getByRole('button', { name: 'Change role…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the role' })
    await dialog.getByLabel('Role').selectOption(label)
    await dialog.getByLabel('Reason').fill('extended by the test')
    if (value === 'support') await expectAccessible(page, 'role')
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await expectToast('Role Changed', `The account now has the role ${value} and was signed out everywhere.`)
    if (value === 'user') continue
    const code = page.getByRole('dialog', { name: 'Enrolment code' })
    await expect(code.getByText(/^\w{4}(-\w{4}){3}$/)).toBeVisible()
    await expectAccessible(page, 'enrolment code')
    await code.getByRole('button', { name: 'Done' }).click()
    await expect(code).toBeHidden()
  }

  await detail.getByRole('button', { name: 'Cancel subscription' }).click()
  const cancelDialog = page.getByRole('dialog', { name: 'Cancel subscription' })
  await expect(cancelDialog.getByText(`Cancel subscription for ${traderName}?`)).toBeVisible()
  await expectAccessible(page, 'cancel')
  await page.route('**/cancel-subscription', (route) => route.abort())
  await cancelDialog.getByRole('button', { name: 'Cancel subscription' }).click()
  await expectToast('Error', 'Failed to cancel subscription.')
  await page.unrouteAll({ behavior: 'wait' })
  await cancelDialog.getByRole('button', { name: 'Cancel subscription' }).click()
  await expectToast('Subscription Cancelled', 'Subscription cancelled.')
  // Wait until the account has no plan any more: the dialog then shows fewer buttons, and a click
  // before that could miss. While the other dialog is open, this one has no accessible buttons.
  await expect(detail.getByRole('button', { name: 'Grant a plan' })).toBeVisible()
  await expect(detail.getByRole('button', { name: 'Cancel subscription' })).toHaveCount(0)
  await detail.getByRole('button', { name: 'Close' }).first().click()
  await expect(detail).toBeHidden()
  await expect(page).not.toHaveURL(/user=/)
  await page.getByLabel('Filter users').selectOption('all')
  await expect(page.getByRole('row', { name: traderName })).toContainText('No Subscription')

  await page.getByLabel('Filter users').selectOption('admin')
  // Wait for the filtered list: the admin's row is also in the list of all users, and a click while
  // the list changes may open nothing.
  await expect(page).toHaveURL(/filter=admin/)
  await expect(page.getByText('Showing 1 of 1')).toBeVisible()
  await page.getByRole('button', { name: 'Administrator', exact: true }).click()
  await page.getByRole('button', { name: 'Suspend…' }).click()
  await suspendDialog.getByLabel('Reason').fill('oneself')
  await suspendDialog.getByRole('button', { name: 'Suspend' }).click()
  await expectToast('Error', 'You can’t suspend your own account.')
  await suspendDialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Only another account with the Owner role can change your role.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change role…' })).toHaveCount(0)

  await openView('?tab=users&user=00000000-0000-4000-8000-000000000000')
  await expect(page.getByRole('dialog').getByText('User not found.')).toBeVisible()
  await openView('?tab=users')
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect(await readFile(await (await downloadEvent).path(), 'utf8')).toContain(product.trader.email)
})

test('payments: unmatched payments can be credited or noted as refunded, and the ledger matches the chain', async () => {
  await transferToTreasury(traderWalletIndex, '28')
  await transferToTreasury(unknownWalletIndex, '9.5')
  await openView('?tab=users&view=payments')
  await expect(page.getByText('2 ITO short of 24 hours')).toBeVisible()
  await expectAccessible(page, 'unmatched payments')

  const dialog = page.getByRole('dialog', { name: 'Resolve payment' })
  await page.getByRole('button', { name: 'Resolve the payment of 9.5 ITO manually' }).click()
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await expect(dialog.getByText('Choose an action')).toBeVisible()
  await dialog.getByText('Credit a plan').click()
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expect(dialog.getByText('Choose the account that receives the plan')).toBeVisible()
  await expect(dialog.getByText('Enter a reason. It is kept in the audit log.')).toBeVisible()
  await page.route('**/api/admin/users?*', (route) => route.abort())
  await dialog.getByLabel('Search accounts').fill('any name')
  await expect(dialog.getByText('Failed to fetch users')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await dialog.getByLabel('Search accounts').fill('no such account')
  await expect(dialog.getByText('No account matches.')).toBeVisible()
  await dialog.getByLabel('Search accounts').fill('jonas')
  await dialog.getByRole('button', { name: new RegExp(traderName) }).click()
  await expect(dialog.getByText('The wallet that paid is not linked to this account.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Choose another account' }).click()
  await expectAccessible(page, 'payment resolution incomplete')
  await dialog.getByText('Record a refund').click()
  await dialog.getByLabel('Reason').fill('sent back today')
  await requireConfirmation(page, '**/resolve')
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await confirmIdentity()
  await expectToast('Payment Resolved', /./)
  await expect(dialog).toBeHidden()

  await page.getByRole('button', { name: 'Credit 6 hours' }).click()
  await dialog.getByLabel('Reason').fill('meant for 24 hours, agreed on 6')
  await page.route('**/resolve', (route) => route.abort())
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Error', 'Failed to resolve the payment. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Payment Resolved', /./)
  await expect(page.getByText('No unmatched payments')).toBeVisible()
  await page.getByRole('region', { name: 'Unmatched payments' }).getByText('Resolved', { exact: true }).click()
  const resolvedItems = page.getByRole('region', { name: 'Unmatched payments' }).getByRole('listitem')
  await expect(page.getByText('Resolution', { exact: true })).toBeVisible()
  await expect(page.getByText('Why unmatched')).toBeHidden()
  await expect(resolvedItems.filter({ hasText: '9.5 ITO' })).toContainText(
    /Refund noted, by Administrator, \d\d:\d\d:\d\d“sent back today”Unmatched: 0\.5 ITO short of 6 hours/,
  )
  const creditedItem = resolvedItems.filter({ hasText: '28 ITO' })
  await expect(creditedItem).toContainText(/Credited: 6 hours to Jonas Lindqvist, by Administrator, \d\d:\d\d:\d\d/)
  await expect(creditedItem).toContainText('“meant for 24 hours, agreed on 6”')
  await expect(creditedItem).toContainText('Unmatched: 2 ITO short of 24 hours')
  await expectAccessible(page, 'resolved payments')

  // The overpaid part of the payment and its resolution are listed under unusual purchases.
  const purchases = page.getByRole('region', { name: 'Unusual purchases' })
  await expect(purchases.getByRole('listitem').filter({ hasText: '18 ITO too much' })).toContainText(traderName)
  await purchases.getByText('Resolved', { exact: true }).click()
  await expect(purchases.getByText('No resolved purchases yet')).toBeVisible()
  await creditedItem.getByRole('button', { name: 'not resolved yet' }).click()
  await purchases.getByRole('button', { name: 'Resolve the purchase of 6 hours, 10 ITO' }).click()
  const excessDialog = page.getByRole('dialog', { name: 'Resolve purchase' })
  await expect(excessDialog).toContainText('28 ITO received, 18 ITO too much')
  await excessDialog.getByText('Ignore', { exact: true }).click()
  await excessDialog.getByLabel('Reason').fill('kept, as agreed')
  await excessDialog.getByRole('button', { name: 'Resolve' }).click()
  await expectToast('Purchase Resolved', 'The purchase is marked as ignored.')
  await expect(purchases.getByText('No overpayments to resolve')).toBeVisible()
  await expect(creditedItem).toContainText('18 ITO above its price, ignored')

  const allPayments = page.getByRole('region', { name: 'All payments' })
  await expect(allPayments.getByRole('listitem').filter({ hasText: '28 ITO' })).toContainText('Credited')
  await allPayments.getByLabel('Filter payments by state').selectOption('Refunded')
  await expect(allPayments.getByRole('listitem')).toHaveCount(1)
  await expect(allPayments.getByRole('listitem')).toContainText('9.5 ITO')
  await recordRefund(allPayments.getByRole('listitem'), '9.5')
  await allPayments.getByLabel('Filter payments by state').selectOption('Reverted')
  await allPayments.getByRole('button', { name: 'Clear search and filters' }).click()
  await expect(allPayments.getByText(/^All \d+ shown, newest first$/)).toBeVisible()

  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByText('No differences: ledger and chain agree.')).toBeVisible()
  await expectAccessible(page, 'reconciled')
})

test('unusual purchases: an overpaid purchase shows the excess and is resolved by noting the refund', async () => {
  await createOrder(overpayerWalletIndex)
  await openView('?tab=users&view=payments')
  const purchases = page.getByRole('region', { name: 'Unusual purchases' })
  await expect(purchases.getByText('No overpayments to resolve')).toBeVisible()
  await transferToTreasury(overpayerWalletIndex, '12.5')
  await expect(purchases.getByText('2.5 ITO too much')).toBeVisible()
  await expectAccessible(page, 'unusual purchases')
  await purchases.getByText('Late', { exact: true }).click()
  await expect(purchases.getByText('No late payments to resolve')).toBeVisible()
  await purchases.getByText('Overpaid', { exact: true }).first().click()

  await purchases.getByRole('button', { name: 'Resolve the purchase of 6 hours, 10 ITO' }).click()
  const dialog = page.getByRole('dialog', { name: 'Resolve purchase' })
  await expect(dialog).toContainText('12.5 ITO received, 2.5 ITO too much')
  const resolveButton = dialog.getByRole('button', { name: 'Resolve' })
  await resolveButton.click()
  await expect(dialog.getByText('Enter a reason. It is kept in the audit log.')).toBeVisible()
  await expect(dialog.getByText('Choose an action')).toBeVisible()
  await expectAccessible(page, 'invalid purchase resolution')
  await dialog.getByText('Record a refund').click()
  await dialog.getByLabel('Reason').fill('2.5 ITO sent back')
  await page.route('**/resolve', (route) => route.abort())
  await resolveButton.click()
  await expectToast('Error', 'Failed to resolve the purchase. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  await requireConfirmation(page, '**/resolve')
  await resolveButton.click()
  await confirmIdentity()
  await expectToast('Purchase Resolved', 'The refund is noted with the purchase.')
  await expect(dialog).toBeHidden()
  await expect(purchases.getByText('No overpayments to resolve')).toBeVisible()
  await purchases.getByText('Resolved', { exact: true }).click()
  await expect(purchases.getByText(/Refund noted, by Administrator, .*“2\.5 ITO sent back”/)).toBeVisible()
  await openView('?view=audit')
  await expect(page.getByRole('listitem').filter({ hasText: 'Refund of a purchase noted' })).toContainText(
    'Administrator',
  )
})

test('coupons: an admin creates a coupon, a buyer starts a plan with it, and then the admin ends it', async ({
  browser,
}) => {
  await openView('?tab=users&view=coupons')
  const coupons = page.getByRole('region', { name: 'Coupons' })
  await expect(coupons.getByText('No coupons yet')).toBeVisible()
  await coupons.getByRole('button', { name: 'New coupon' }).click()
  const couponDialog = page.getByRole('dialog', { name: 'New coupon' })
  await couponDialog.getByLabel('Discount', { exact: true }).fill('101')
  await couponDialog.getByRole('button', { name: 'Create coupon' }).click()
  await expect(couponDialog.getByText('A whole number from 1 to 100.')).toBeVisible()
  await expect(couponDialog.getByText('Enter the purpose of the coupon.')).toBeVisible()
  await expectAccessible(page, 'form of a new coupon')
  await couponDialog.getByLabel('Code', { exact: true }).fill('trial-2026')
  await couponDialog.getByLabel('Discount', { exact: true }).fill('100')
  await couponDialog.getByRole('checkbox', { name: '3 days' }).uncheck()
  await couponDialog.getByLabel('Note', { exact: true }).fill('Trial for visitors of the fair')
  await couponDialog.getByRole('button', { name: 'Create coupon' }).click()
  await expectToastIn(page, 'Coupon Created', 'Its code is TRIAL-2026.')
  await expect(coupons.getByRole('row', { name: /TRIAL-2026/ })).toContainText('0 of 100')

  const buyer = await (await browser.newContext()).newPage()
  const { request } = buyer.context()
  const headers = { origin: product.url }
  const walletAddress = testAccount(9).address
  const challenge = await request.post(`${product.url}/api/auth/wallet/challenge`, { headers, data: { walletAddress } })
  const { message }: { message: string } = await challenge.json()
  const data = { message, signature: await testAccount(9).signMessage({ message }) }
  expect((await request.post(`${product.url}/api/auth/wallet`, { headers, data })).status()).toBe(200)
  await installWallet(buyer, { chainUrl: product.chainUrl, accountIndex: 9 })
  await buyer.goto(`${product.url}/dashboard`)
  await connectScriptedWallet(buyer)
  await buyer.getByRole('button', { name: 'Use a coupon' }).click()
  const dialog = buyer.getByRole('dialog')
  for (const [code, message] of [
    ['no', 'A code has 6 to 32 letters, digits and hyphens.'],
    ['UNKNOWN-CODE', /can’t be used for this purchase/],
  ] as const) {
    await dialog.getByLabel('Coupon code').fill(code)
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect(dialog.getByText(message)).toBeVisible()
  }
  await dialog.getByLabel('Coupon code').fill('trial-2026')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect(dialog.getByText('Coupon TRIAL-2026 applied')).toBeVisible()
  await expectAccessible(buyer, 'plan choice with a coupon')
  await dialog.getByRole('button', { name: 'Select Plan' }).first().click()
  await dialog.getByRole('button', { name: 'Start plan with coupon' }).click()
  await expect(dialog).toBeHidden()
  await expect(buyer.getByRole('region', { name: 'Alerts' }).or(buyer.getByText('6 hours')).first()).toBeVisible()
  await buyer.context().close()

  await page.reload()
  const couponRow = coupons.getByRole('row', { name: /TRIAL-2026/ })
  await expect(couponRow).toContainText('1 of 100')
  await expect(couponRow).toContainText('10 ITO')
  await coupons.getByRole('button', { name: 'End coupon TRIAL-2026' }).click()
  await expect(couponRow).toContainText('Ended')
})

test('outreach: an announcement is shown to its audience and dismissed, and a message is sent after its preview', async ({
  browser,
}) => {
  await openView('?tab=users&view=outreach')
  const announcements = page.getByRole('region', { name: 'Announcements' }).filter({ hasText: 'New announcement' })
  await announcements.getByRole('button', { name: 'New announcement' }).click()
  const announcementDialog = page.getByRole('dialog', { name: 'New announcement' })
  await announcementDialog.getByRole('button', { name: 'Announce' }).click()
  await expect(announcementDialog.getByText(/Enter a text of up to 300 characters/)).toBeVisible()
  const text = 'Maintenance <b>tonight</b> at 02:00 UTC'
  await announcementDialog.getByLabel('Text', { exact: true }).fill(text)
  await announcementDialog.getByLabel('Audience').selectOption('Everyone')
  await announcementDialog.getByRole('checkbox', { name: /public pages/ }).check()
  await expectAccessible(page, 'form of a new announcement')
  await announcementDialog.getByRole('button', { name: 'Announce' }).click()
  await expectToastIn(page, 'Announcement Saved', 'The audience sees the announcement now.')

  const visitor = await (await browser.newContext()).newPage()
  for (const path of ['/', '/terms-of-service']) {
    await visitor.goto(`${product.url}${path}`)
    await expect(visitor.getByText(text)).toBeVisible()
    await expectAccessible(visitor, `announcement on ${path}`)
  }
  await visitor.getByRole('button', { name: `Dismiss: ${text}` }).click()
  await Promise.all([visitor.waitForResponse('**/api/announcements'), visitor.goto(product.url)])
  await expect(visitor.getByText(text)).toBeHidden()
  await visitor.context().close()
  await announcements.getByRole('button', { name: `End: ${text}` }).click()
  await expect(announcements.getByText('Ended', { exact: true })).toBeVisible()

  const messages = page.getByRole('region', { name: 'Messages' })
  await messages.getByRole('button', { name: 'New message' }).click()
  const draft = page.getByRole('dialog', { name: 'New message' })
  await draft.getByLabel('Recipients').selectOption('All users')
  await draft.getByLabel('Subject').fill('A new plan')
  await draft.getByLabel('Text', { exact: true }).fill('It costs less.\n\nSee the pricing page.')
  await draft.getByRole('button', { name: 'Preview' }).click()
  const confirmation = page.getByRole('dialog', { name: /^Send to \d+ users\?$/ })
  await expect(confirmation.getByRole('region', { name: 'Preview' })).toContainText('Unsubscribe from news')
  await expectAccessible(page, 'preview of a message')
  await confirmation.getByRole('button', { name: /^Send to/ }).click()
  await expectToastIn(page, 'Message Queued', /20 per second/)
  await expect(messages.getByText('Sent', { exact: true })).toBeVisible()
})

test('support messages: a visitor’s message gets an internal note and a reply by email, and is closed', async () => {
  const body = { name: 'Ada', email: 'ada@example.com', subject: 'My <i>plan</i>', message: 'When does it end?' }
  await createTestClient(product.url).call('contactSupport', { body })
  await openView('?tab=letters')
  const supportMessages = page.getByRole('region', { name: 'Support messages' })
  await supportMessages.getByRole('button', { name: body.subject }).click()
  const dialog = page.getByRole('dialog', { name: body.subject })
  await expect(dialog.getByRole('list', { name: 'Conversation' })).toContainText(body.message)
  await dialog.getByRole('button', { name: 'Send reply' }).click()
  await expect(dialog.getByText('Enter a text.')).toBeVisible()
  await expectAccessible(page, 'support message')
  await dialog.getByRole('radio', { name: 'Internal note' }).click()
  await dialog.getByLabel('Note for staff').fill('Asked by phone too.')
  await dialog.getByRole('button', { name: 'Save note' }).click()
  await expect(dialog.getByText(/^Internal note/)).toHaveCount(2)
  await dialog.getByRole('radio', { name: 'Reply by email' }).click()
  await dialog.getByLabel('Reply to ada@example.com').fill('It ends at noon.')
  await dialog.getByRole('button', { name: 'Send reply' }).click()
  await expect(dialog.getByRole('radio', { name: 'Waiting' })).toBeChecked()
  await expect(dialog.getByText(/^Assigned to/)).toBeVisible()
  await dialog.getByRole('radio', { name: 'Closed' }).click()
  await expectToastIn(page, 'Support Message Changed', '')
  await closeByEscape(dialog)
  await expect(supportMessages.getByText('No open support messages')).toBeVisible()
  await supportMessages.getByRole('radio', { name: 'Closed' }).click()
  await expect(supportMessages.getByRole('listitem')).toContainText('1 reply · 1 note')
})

test('scheduled alerts: an alert is scheduled, changed and cancelled, and a time in the past is rejected', async () => {
  await openView('?tab=alerts')
  await page.getByRole('button', { name: 'Schedule for later…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Schedule an alert' })
  await dialog.getByLabel('Asset').fill('ETH/USDT')
  await dialog.getByLabel('Confidence').fill('90')
  await dialog.getByLabel('Summary').fill('Funding is decided.')
  await dialog.getByLabel('Issue at').fill('2020-01-01T00:00')
  await dialog.getByRole('button', { name: 'Schedule alert' }).click()
  await expect(dialog.getByText('Choose a time in the future.')).toBeVisible()
  await dialog.getByLabel('Issue at').fill('2036-01-01T12:00')
  await expectAccessible(page, 'form of a scheduled alert')
  await dialog.getByRole('button', { name: 'Schedule alert' }).click()
  await expectToastIn(page, 'Alert Scheduled', '1 Jan')
  const scheduledList = page.getByRole('list', { name: 'Scheduled alerts' })
  await scheduledList.getByRole('button', { name: 'Edit: ETH/USDT, Funding is decided.' }).click()
  const changeDialog = page.getByRole('dialog', { name: 'Change a scheduled alert' })
  await changeDialog.getByLabel('Summary').fill('Funding is decided at noon.')
  await changeDialog.getByRole('button', { name: 'Save' }).click()
  await scheduledList.getByRole('button', { name: 'Cancel: ETH/USDT, Funding is decided at noon.' }).click()
  await expect(scheduledList.getByText('Cancelled', { exact: true })).toBeVisible()
})

test('business view: definitions open by keyboard, each chart has a table view, and each alert shows its reach', async () => {
  await openView('')
  for (const [title, figure, definition] of [
    ['Revenue', 'Show revenue as', /Transfers that were credited to a plan/],
    ['Funnel', 'Show the funnel as', /Browsers that open the front page/],
    ['Feed and engine', 'Show feed and engine as', /Gap: no connection to the signal feed/],
    ['Alerts', 'Show alerts as', /Corrections and retractions do not count/],
  ] as const) {
    const panel = page.getByRole('region', { name: title, exact: true })
    await panel.getByRole('button', { name: /^How .* is measured$/ }).focus()
    await page.keyboard.press('Enter')
    await expect(panel.getByText(definition).first()).toBeVisible()
    await panel.getByRole('radiogroup', { name: figure }).getByRole('radio', { name: 'Table' }).click()
    // Without a gap, the panel of feed and engine describes its sources instead of a table.
    const description = panel.getByText(/No gap in the last 24 hours\.|: no data yet/).first()
    await expect(panel.getByRole('table').or(description).first()).toBeVisible()
  }
  await page.getByRole('region', { name: 'Alerts', exact: true }).getByRole('radio', { name: 'By type' }).click()
  await expect(page.getByRole('columnheader', { name: 'Type' })).toBeVisible()
  const churnRegion = page.getByRole('region', { name: 'Churn risk' })
  await churnRegion.getByRole('radio', { name: 'Left, 7 d' }).click()
  await expect(churnRegion.getByText(/left/i).last()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Reach' })).toContainText(/of \d+ reached/)
  await expectAccessible(page, 'business with definitions and tables')

  await page.getByRole('region', { name: 'Reach' }).getByRole('button', { name: 'All alerts' }).click()
  await page
    .getByRole('button', { name: /^Reach of #/ })
    .first()
    .click()
  const reachDialog = page.getByRole('dialog', { name: /^Reach of #/ })
  await expect(reachDialog).toContainText(/of \d+ reached/)
  await expectAccessible(page, 'reach of an alert')
  await closeByEscape(reachDialog)
})

test('audit log: lists actions with actor and reason, can be filtered and exported as CSV', async () => {
  await openView('?view=audit')
  const findAuditEntry = (words: string) => page.getByRole('listitem').filter({ hasText: words }).first()
  for (const words of ['Subscription extended', 'User suspended', 'Refund noted', 'Payment credited', 'Feed saved']) {
    await expect(findAuditEntry(words)).toContainText('Administrator')
  }
  await expect(findAuditEntry('Payment credited')).toContainText(traderName)
  await expect(findAuditEntry('Alert created')).toContainText(/#[\d,]+ ETH\/USDT\s*CriticalSent/)
  await expect(findAuditEntry('Only created, not sent')).toContainText(/Alert created.*ETH\/USDT\s*Low/)
  await expect(page.getByText('“an apology”')).toBeVisible()
  await expectAccessible(page, 'audit log')
  await page.getByLabel('Filter by action').selectOption('chain_changed')
  await expect(page.getByText('No entries match')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Filter by action').selectOption('subscription_extended')
  await expect(page.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('listitem').getByRole('button', { name: traderName }).click()
  await closeByEscape(page.getByRole('dialog', { name: traderName }))

  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const csv = await readFile(await (await downloadEvent).path(), 'utf8')
  expect(csv.startsWith('\ufeffid,at,')).toBe(true)
  expect(csv).toContain('an apology')

  await page.getByRole('link', { name: 'Security log' }).click()
  await page.getByLabel('Filter by category').selectOption('sign-in')
  await page.getByLabel('Search the security log').fill('signed in')
  const signInEntry = page.getByRole('listitem').filter({ hasText: 'Administrator' }).first()
  await expect(signInEntry).toContainText(/Signed in by password/)
  await expectAccessible(page, 'security log')
})

test('signal feed: shows the failure after the last retry, reconnects when the settings are saved, and counts repeated signals', async () => {
  await openView('?tab=dashboard')
  const panel = page.getByRole('region', { name: 'External Signal Configuration' })
  const endpoint = panel.getByLabel('Endpoint')
  const saveButton = panel.getByRole('button', { name: 'Save Configuration' })
  await endpoint.fill('ws://127.0.0.1:9')
  // Use the longest interval, so that the page shows the state before the last retry.
  await panel.getByLabel('Reconnect interval').fill('300')
  await panel.getByLabel('Max retries').fill('1')
  await panel.getByLabel('Enabled').check()
  await page.route('**/api/admin/websocket/**', (route) => route.abort())
  await saveButton.click()
  await expectToast('Update Failed', 'Failed to update the signal configuration. Please try again.')
  await panel.getByRole('button', { name: 'Test Connection' }).click()
  await expectToast('Connection Failed', 'The test could not be made. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  await saveButton.click()
  await expectToast('WebSocket Config Updated', /saved/)
  await expect(findRow('Signal feed')).toContainText('Reconnecting')
  await expect(panel.getByText('Unsaved changes')).toBeHidden()
  await panel.getByLabel('Reconnect interval').fill('5')
  await saveButton.click()
  await expectToast('WebSocket Config Updated', /saved/)
  await expect(findRow('Signal feed')).toContainText('Failed')
  await expect(findRow('Signal feed')).toContainText('could not be reached')
  await expect(
    panel.getByText(/^The feed has stopped retrying: .*Save or test the configuration to restart the feed\.$/),
  ).toBeVisible()
  await expect(page.getByText('Degraded: signal feed failed')).toBeVisible()
  await expectAccessible(page, 'feed failed')

  const text = (id: string) =>
    JSON.stringify({
      id,
      asset: 'XMR/USDT',
      anomalyType: 'Liquidity gap',
      confidence: 88,
      regime: 'Range',
      summary: 'The same thing is seen again.',
      priority: 'medium',
      observedAt: new Date().toISOString(),
    })
  const feed = await startSignalFeed(text('repeated-1'))
  try {
    await endpoint.fill(feed.endpoint)
    await saveButton.click()
    await expectToast('WebSocket Config Updated', /saved/)
    await expect(findRow('Signal feed')).toContainText('Connected')
    await expect(page.getByText('System Active')).toBeVisible()
    for (const id of ['repeated-2', 'repeated-3']) feed.send(text(id))
    feed.send('{"id":"wrong"}')
    await expect(findRow('Repeated signals merged')).toContainText(/^Repeated signals merged2/)
    await page.getByRole('link', { name: /to look at/ }).click()
    const rejectedSignals = page.getByRole('region', { name: 'Rejected signals, newest first' })
    // Find the row by its text: until this signal is listed, other rows show other signals. The
    // signal can be listed several times, because the feed sends it again on each connection. Newer
    // rows are added above the last one.
    const rejectedSignal = rejectedSignals.getByRole('listitem').filter({ hasText: '{"id":"wrong"}' }).last()
    await rejectedSignal.getByText('Show').click()
    await expect(rejectedSignal.getByText('{"id":"wrong"}')).toBeVisible()
    await loadView('?tab=alerts&search=XMR')
    const historyRows = page.getByRole('region', { name: 'Alert History' }).getByRole('listitem')
    await expect(historyRows).toHaveCount(1)
    await expect(historyRows).toContainText('Repeated 2 times')
    await expectAccessible(page, 'a repeated alert')

    await test.step('the engine view shows the engine status that the feed sends', async () => {
      await openView('?view=engine')
      await expect(page.getByText('No status received')).toBeVisible()
      await expectAccessible(page, 'no engine status')
      feed.send(JSON.stringify(createEngineStatus()))
      const markets = page.getByRole('region', { name: 'Markets' })
      await expect(markets.getByRole('row', { name: /BTC/ })).toContainText(/LaggingLag9\.0 s/)
      await expect(findRow('Unfilled gaps')).toContainText('4')
      const thresholds = page.getByRole('region', { name: 'Alerts at other thresholds' })
      await expect(thresholds.getByRole('row', { name: /^2\.7/ })).toContainText('3.00 a day, 6')
      await thresholds.getByLabel('Asset').selectOption('ETH/USDT')
      await expect(thresholds.getByRole('row', { name: /^2\.7/ })).toContainText('1.00 a day, 2')
      await expectAccessible(page, 'engine status')
    })
  } finally {
    feed.close()
  }
})

test('alerts: the list updates without polling when an alert is created by another client', async () => {
  await openView('?tab=alerts')
  const history = page.getByRole('region', { name: 'Alert History' })
  await expect(history.getByRole('listitem').first()).toBeVisible()
  await createAlertByApi('First alert from another client.')
  await expect(history.getByText('First alert from another client.')).toBeVisible()

  await expect(page.getByText(/adds it to the log as #[\d,]+ and/)).toBeVisible()
  // The log head request fails, so the form derives the next index from the list.
  await page.route('**/api/log/head', (route) => route.abort())
  await createAlertByApi('Second alert from another client.')
  await expect(history.getByText('Second alert from another client.')).toBeVisible()
  const newestNumber = await history
    .getByRole('listitem')
    .first()
    .getByText(/^#[\d,]+$/)
    .textContent()
  await expect(
    page.getByText(`adds it to the log as ${formatAlertNumber(Number(newestNumber?.replace(/[#,]/g, '')) + 1)} and`),
  ).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
})

test('alerts: correction and retraction validate their input and show an error when the request fails', async () => {
  for (const summary of ['Wrong figure to correct.', 'False alarm to retract.']) await createAlertByApi(summary)
  await loadView('?tab=alerts&search=wrong+figure')
  const history = page.getByRole('region', { name: 'Alert History' })
  await history.getByRole('button', { name: /^Correct #/ }).click()
  const correctDialog = page.getByRole('dialog', { name: /^Correct #/ })
  const sendCorrection = correctDialog.getByRole('button', { name: /^Correct #/ })
  await sendCorrection.click()
  await expect(correctDialog.getByText('Change at least one field')).toBeVisible()
  for (const [label, maxLength, message] of [
    ['Asset', 40, 'At most 40 characters'],
    ['Summary', 1_000, 'At most 1,000 characters'],
  ] as const) {
    await correctDialog.getByLabel(label).fill('x'.repeat(maxLength + 1))
    await sendCorrection.click()
    await expect(correctDialog.getByText(message)).toBeVisible()
  }
  await correctDialog.getByLabel('Asset').fill('ETH/USDT')
  await correctDialog.getByLabel('Summary').fill('Corrected number.')
  await page.route('**/correct', (route) => route.abort())
  await sendCorrection.click()
  await expectToast('Error', 'Failed to correct alert. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  await sendCorrection.click()
  await expectToast('Alert Corrected', /corrects/)

  await createAlertByApi('Retracted by another client.')
  await loadView('?tab=alerts&search=retracted+another')
  await history.getByRole('button', { name: /^Correct #/ }).click()
  await correctDialog.getByLabel('Summary').fill('Too late.')
  await runBeforeRequest('**/correct', (request) =>
    sendByApi(request.url().replace(/correct$/, 'retract'), { reason: 'It did not happen.', broadcast: false }),
  )
  await sendCorrection.click()
  await expectToast('Error', 'This alert has been retracted and can no longer be corrected')
  await page.unrouteAll({ behavior: 'wait' })

  await loadView('?tab=alerts&search=false+alarm')
  await history.getByRole('button', { name: /^Retract #/ }).click()
  const retractDialog = page.getByRole('dialog', { name: /^Retract #/ })
  const retractButton = retractDialog.getByRole('button', { name: /^Retract #/ })
  await retractButton.click()
  await expect(retractDialog.getByText('Enter a reason. It is shown with the alert permanently.')).toBeVisible()
  const fieldError = retractDialog.getByText(/^Type \d+ to retract it$/)
  await expect(fieldError).toBeVisible()
  const number = /\d+/.exec((await fieldError.textContent()) ?? '')?.[0] ?? ''
  await retractDialog.getByLabel('Reason').fill('x'.repeat(1_001))
  await expect(retractDialog.getByText('At most 1,000 characters')).toBeVisible()
  await retractDialog.getByLabel('Reason').fill('It did not happen.')
  await retractDialog.getByLabel(/^Type \d+ to confirm$/).fill(number)
  await page.route('**/retract', (route) => route.abort())
  await retractButton.click()
  await expectToast('Error', 'Failed to retract alert. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
  await retractButton.click()
  await expectToast('Alert Retracted', /retracts/)
})

test('admin lists: show an error and can be retried when a request fails', async () => {
  const response = await page.context().request.get(`${product.url}/api/admin/users?search=jonas`)
  const [{ id }] = await response.json()
  for (const [search, url, message] of [
    [`?tab=users&user=${id}`, `**/api/admin/users/${id}`, 'Failed to fetch the user'],
    ['?tab=alerts', '**/api/admin/alerts?*', 'Failed to fetch alerts'],
    ['?tab=users', '**/api/admin/users?*', 'Failed to fetch users'],
    ['?view=audit', '**/api/admin/audit?*', 'Failed to fetch the audit log'],
    ['?tab=users&view=payments', '**/api/admin/payments/unmatched?*', 'Failed to fetch unmatched payments'],
    ['?tab=users&view=payments', '**/api/admin/orders?*', 'Failed to fetch unusual purchases'],
    ['?tab=users&view=payments', '**/api/admin/payments/reconciliation', 'Failed to fetch the reconciliation'],
    ['?tab=users&view=payments', '**/api/admin/payments?*', 'Failed to fetch payments'],
    ['', '**/api/admin/business/revenue', 'Failed to fetch the revenue'],
    ['?tab=dashboard', '**/api/admin/feed/refused?*', 'Failed to fetch rejected signals'],
    ['?view=engine', '**/api/admin/engine', 'Failed to fetch the status of the engine'],
  ] as const) {
    await page.route(url, (route) => route.fulfill({ status: 503, body: '' }))
    await loadView(search)
    const failure = page.getByText(message)
    await expect(failure).toBeVisible()
    const retry = page.getByRole('button', { name: 'Try again' }).first()
    const retryRequest = page.waitForRequest(url)
    await retry.click()
    await retryRequest
    await page.unrouteAll({ behavior: 'wait' })
    // The page may also refetch by itself, which removes the button.
    await expect(async () => {
      if (await failure.isVisible()) await retry.click({ timeout: 1_000 })
      expect(await failure.isVisible()).toBe(false)
    }).toPass()
  }
})

test('warnings: are shown when the anchor wallet is low, a payment was resolved concurrently or ledger and chain differ', async () => {
  const anchor = await readAnchorWallet()
  const initialBalance = BigInt(anchor.balanceWei)
  await setBalance(anchor.wallet, (initialBalance / BigInt(anchor.anchorsLeft)) * 12n)
  await openView('?tab=dashboard')
  await expect(page.getByText(/The anchor wallet is low: it has funds for \d+ more\s+anchors?\./)).toBeVisible()
  await expectAccessible(page, 'low balance')
  await setBalance(anchor.wallet, initialBalance)

  await transferToTreasury(unknownWalletIndex, '1.25')
  await transferToTreasury(unknownWalletIndex, '1.5')
  await openView('?tab=users&view=payments')
  const dialog = page.getByRole('dialog', { name: 'Resolve payment' })
  await page.getByRole('button', { name: 'Resolve the payment of 1.25 ITO manually' }).click()
  await dialog.getByText('Ignore', { exact: true }).click()
  const reason = dialog.getByLabel('Reason')
  for (const [text, message] of [
    ['', 'Enter a reason. It is kept in the audit log.'],
    ['x'.repeat(501), 'At most 500 characters'],
  ] as const) {
    await reason.fill(text)
    await dialog.getByRole('button', { name: 'Resolve' }).click()
    await expect(dialog.getByText(message)).toBeVisible()
  }
  await reason.fill('sent to the address as a trial')
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await expectToast('Payment Resolved', /./)

  await page.getByRole('button', { name: 'Resolve the payment of 1.5 ITO manually' }).click()
  await dialog.getByText('Ignore', { exact: true }).click()
  await reason.fill('resolved by another admin first')
  await runBeforeRequest('**/resolve', (request) => sendByApi(request.url(), request.postDataJSON()))
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await expectToast('Error', 'This payment is already resolved.')
  await page.unrouteAll({ behavior: 'wait' })

  await page.route('**/api/admin/payments/reconciliation', async (route) => {
    if (route.request().method() === 'POST') return route.abort()
    const report = await (await route.fetch()).json()
    const transferFields = { transactionHash: `0x${'ab'.repeat(32)}`, logIndex: 0 }
    const differences = [
      { kind: 'not_in_ledger', ...transferFields, ledgerWei: null, chainWei: '5000000000000000000' },
      { kind: 'not_on_chain', ...transferFields, ledgerWei: '10000000000000000000', chainWei: null },
      { kind: 'other_amount', ...transferFields, ledgerWei: '10000000000000000000', chainWei: '9000000000000000000' },
    ]
    return route.fulfill({ json: { ...report, state: 'done', differences, differenceCount: 3 } })
  })
  await page.reload()
  for (const message of [
    '3 differences.',
    'On the chain, not in the ledger',
    'In the ledger, not on the chain',
    'Amounts differ',
  ]) {
    await expect(page.getByText(message)).toBeVisible()
  }
  await expectAccessible(page, 'reconciled with differences')
  await page.getByRole('button', { name: 'Check now' }).click()
  await expectToast('Error', 'The check could not be started. Please try again.')
  await page.unrouteAll({ behavior: 'wait' })
})

test('admin actions: show the server’s error message, or a generic one, when a request fails', async ({ browser }) => {
  const otherContext = await browser.newContext()
  await startSession(otherContext, product.url, product.trader)
  await openView('?tab=users')
  await page.getByRole('button', { name: traderName, exact: true }).click()
  const detail = page.getByRole('dialog', { name: traderName })
  await page.route('**/{end-sessions,sessions/*,suspend,role}', (route) => route.abort())
  const endSessionButtons = detail.getByRole('button', { name: /^End the session of/ })
  await endSessionButtons.first().click()
  await expectToast('Error', 'Failed to end the session. Please try again.')
  await detail.getByRole('button', { name: 'End all' }).click()
  await expectToast('Error', 'Failed to end the sessions. Please try again.')
  for (const [open, title, failureText] of [
    ['Suspend…', 'Suspend', 'Failed to suspend the user. Please try again.'],
    ['Change role…', 'Change the role', 'Failed to change the role. Please try again.'],
  ] as const) {
    await detail.getByRole('button', { name: open }).click()
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.getByLabel('Reason').fill('to see it fail')
    await dialog.getByRole('button', { name: /^(Suspend|Change role)$/ }).click()
    await expectToast('Error', failureText)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  }
  await page.unrouteAll({ behavior: 'wait' })
  const sessions = await endSessionButtons.count()
  await endSessionButtons.first().click()
  await expectToast('Session Ended', 'The session was ended.')
  await expect(endSessionButtons).toHaveCount(sessions - 1)
  const loginRequest = { data: product.trader, headers: { origin: product.url } }
  expect((await otherContext.request.post(`${product.url}/api/auth/login`, loginRequest)).ok()).toBe(true)
  await runBeforeRequest('**/sessions/*', (request) => sendByApi(request.url(), {}, request.method()))
  await endSessionButtons.first().click()
  await expectToast('Error', 'Session not found. It may already have ended.')
  await page.unrouteAll({ behavior: 'wait' })
  await otherContext.close()

  // The plan is cancelled in one tab while the dialog to extend it is open in another.
  const tab = await page.context().newPage()
  await tab.goto(`${product.url}/admin?tab=users`)
  await tab.getByRole('button', { name: `Extend the subscription of ${traderName}` }).click()
  await detail.getByRole('button', { name: 'Cancel subscription' }).click()
  await runBeforeRequest('**/cancel-subscription', (request) => sendByApi(request.url(), {}))
  const cancelDialog = page.getByRole('dialog', { name: 'Cancel subscription' })
  await cancelDialog.getByRole('button', { name: 'Cancel subscription' }).click()
  await expectToast('Error', 'This user has no active subscription.')
  await tab.getByRole('button', { name: 'Extend by 24 h' }).click()
  await expectToastIn(tab, 'Error', 'This user has no active subscription.')
  await tab.close()
  await page.unrouteAll({ behavior: 'wait' })

  for (const [search, message] of [
    ['?tab=users', 'Failed to export users. Please try again.'],
    ['?view=audit', 'Failed to export the audit log. Please try again.'],
  ] as const) {
    await openView(search)
    await page.route('**/api/admin/export/*', (route) => route.abort())
    await page.getByRole('button', { name: 'Export CSV' }).click()
    await expectToast('Error', message)
    await page.unrouteAll({ behavior: 'wait' })
  }

  // The demo rejects any other chain, so the successful response is mocked.
  await openView('?tab=dashboard')
  const chain = page.getByRole('region', { name: 'Chain Configuration' })
  const message = 'Payments are made on Polygon (MATIC) from now on.'
  await page.route('**/api/admin/settings/chain_id', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ json: { success: true, message } }) : route.fallback(),
  )
  await chain.getByLabel('Change to').selectOption('137')
  await chain.getByRole('button', { name: 'Update chain' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change chain' }).click()
  await expectToast('Chain Configuration Updated', message)
  await page.unrouteAll({ behavior: 'wait' })
})

test('keyboard: opens and closes the dialog of a user and restores focus', async () => {
  await openView('?tab=dashboard')
  await page.getByRole('tab', { name: 'Dashboard' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Alerts' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'User Management' })).toBeFocused()
  const user = page.getByRole('button', { name: traderName, exact: true })
  await tabTo(user, 60)
  await page.keyboard.press('Enter')
  await closeByEscape(page.getByRole('dialog', { name: traderName }))
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(user).toBeFocused()
})

test('toasts: are deduplicated, disappear after five seconds, can be swiped away and disappear sooner when the tab changes', async () => {
  const tab = await page.context().newPage()
  await tab.emulateMedia({ reducedMotion: 'no-preference' })
  await tab.clock.install()
  await tab.goto(`${product.url}/admin?tab=dashboard`)
  const toast = tab.locator('li.toast[data-state=open]').filter({ hasText: 'No Change' })
  // The button is enabled when its settings have loaded, which a paused clock would prevent.
  await expect(tab.getByRole('button', { name: 'Update chain' })).toBeEnabled()
  // The toasts are loaded when the browser is idle, which a paused clock would prevent too.
  await expect(tab.getByRole('region', { name: 'Notifications (F8)' })).toBeAttached()
  // Pause the clock, so that the toast's five seconds do not pass too early on a slow machine.
  await tab.clock.pauseAt(Date.now() + 60_000)

  // The page shows one toast at a time, at most 420 px wide, for five seconds. F8 focuses the list
  // of toasts, and a swipe of more than 50 px to the right dismisses one.
  await tab.getByRole('button', { name: 'Update chain' }).click()
  await expect(toast).toBeVisible()
  await tab.getByRole('button', { name: 'Update chain' }).click()
  await expect(toast).toHaveCount(1)
  await tab.clock.runFor(4_000)
  await expect(toast).toBeVisible()
  await tab.clock.runFor(2_000)
  await expect(toast).toHaveCount(0)
  await tab.getByRole('button', { name: 'Update chain' }).click()
  await tab.keyboard.press('F8')
  await expect(tab.getByRole('region', { name: 'Notifications (F8)' }).getByRole('list')).toBeFocused()
  const toastBox = await toast.boundingBox()
  if (!toastBox) throw new Error('The toast is not visible')
  expect(toastBox.width).toBeLessThanOrEqual(420)
  const swipeToast = async (px: number) => {
    await tab.mouse.move(toastBox.x + 80, toastBox.y + toastBox.height / 2)
    await tab.mouse.down()
    for (const offsetPx of [10, px]) await tab.mouse.move(toastBox.x + 80 + offsetPx, toastBox.y + toastBox.height / 2)
    await tab.mouse.up()
  }
  await swipeToast(45)
  await expect(toast).toBeVisible()
  await swipeToast(60)
  await expect(toast).toHaveCount(0)

  // The next part of the test needs a toast without the pointer over it.
  await tab.getByRole('button', { name: 'Update chain' }).focus()
  await tab.getByRole('button', { name: 'Update chain' }).click()
  await tab.mouse.move(10, 10)
  await expect(toast).toBeVisible()
  await tab.clock.resume()
  await tab.clock.fastForward(1_500)
  await tab.getByRole('tab', { name: 'Alerts' }).click()
  await expect(tab.getByRole('button', { name: 'Create Alert' })).toBeVisible()
  await tab.clock.fastForward(1_600)
  await expect(toast).toHaveCount(0)
  await tab.close()
})

/** Waits until a toast is in its final position, where it must cover no control of the dialog. */
async function expectNothingCovered(dialog: Locator): Promise<void> {
  const findCovered = (element: SVGElement | HTMLElement) => {
    const toasts = [...document.querySelectorAll('li.toast[data-state=open]')].map((toast) =>
      toast.getBoundingClientRect(),
    )
    if (toasts.length === 0) return ['No toast is shown']
    const controls = [...element.querySelectorAll('input, textarea, select, button, a')]
    const isOverlapping = (a: DOMRect, b: DOMRect) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
    return controls
      .filter((control) => !control.closest('li.toast'))
      .filter((control) => toasts.some((toast) => isOverlapping(toast, control.getBoundingClientRect())))
      .map(({ outerHTML }) => outerHTML)
  }
  await expect.poll(() => dialog.evaluate(findCovered)).toEqual([])
}

async function openView(search: string): Promise<void> {
  await visit(page, product.url, `/admin${search}`)
}

/** Opens the view with a page load, so that it has no cached data of earlier views. */
async function loadView(search: string): Promise<void> {
  await page.goto(`${product.url}/admin${search}`)
}

/** Returns the entry of a description list with this name. */
function findRow(name: string): Locator {
  return page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })
}

function expectToast(title: string, description: string | RegExp): Promise<void> {
  return expectToastIn(page, title, description)
}

/** Simulates a race: runs the action just before the next non-GET request to the URL is sent. */
async function runBeforeRequest(url: string, action: (request: Request) => Promise<unknown>): Promise<void> {
  let hasRun = false
  await page.route(url, async (route) => {
    if (route.request().method() !== 'GET' && !hasRun) {
      hasRun = true
      await action(route.request())
    }
    await route.fallback()
  })
}

/** Sends a request with the admin's session, outside the page. */
async function sendByApi(url: string, data: object, method = 'POST'): Promise<void> {
  const response = await page.context().request.fetch(url, { method, data, headers: { origin: product.url } })
  expect(response.ok(), await response.text()).toBe(true)
}

async function fillAlertForm(summary: string, priority: string): Promise<void> {
  await page.getByLabel('Asset').fill('ETH/USDT')
  await page.getByLabel('Confidence').fill('97.3')
  await page.getByLabel('Summary').fill(summary)
  await page.getByRole('radio', { name: priority }).click()
}

async function confirmIdentity(): Promise<void> {
  const confirmDialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await confirmDialog.getByLabel('Password', { exact: true }).fill(product.admin.password)
  await page.keyboard.press('Enter')
  await expect(confirmDialog).toBeHidden()
}

/** Proves a wallet for the trader's account and buys 6 hours for 10 ITO. */
async function subscribeTrader(browser: Browser): Promise<void> {
  const context = await browser.newContext()
  await startSession(context, product.url, product.trader)
  await proveWallet(context, product.url, traderWalletIndex)
  await buyPlan({ ...product, chain: await openLocalChain(product) }, context, traderWalletIndex)
  await context.close()
}

/** Sends ITO to the treasury without an order. */
async function transferToTreasury(addressIndex: number, amount: string): Promise<Hex> {
  const { treasury } = await readConfig()
  return sendTransfer(testAccount(addressIndex), treasury, amount)
}

async function readConfig(): Promise<{ token: { address: Hex }; treasury: Hex }> {
  return (await fetch(`${product.url}/api/config`)).json()
}

/** Sends ITO and waits until the transfer is mined, because anvil returns the hash earlier. */
async function sendTransfer(account: PrivateKeyAccount | HDAccount, recipient: Hex, amount: string): Promise<Hex> {
  const { token } = await readConfig()
  const transport = http(product.chainUrl, { timeout: RPC_TIMEOUT_MS })
  const wallet = createWalletClient({ account, chain: foundry, transport }).extend(publicActions)
  const hash = await wallet.writeContract({
    address: token.address,
    abi: parseAbi(['function transfer(address to, uint256 value) returns (bool)']),
    functionName: 'transfer',
    args: [recipient, parseEther(amount)],
  })
  await waitForReceipt(wallet, hash)
  return hash
}

/**
 * Sends the payment of the unknown wallet back and links the outgoing transaction to the payment.
 */
async function recordRefund(payment: Locator, amount: string): Promise<void> {
  await payment.getByRole('button', { name: 'Record refund…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Record a refund' })
  const recordHash = async (hash: string) => {
    await dialog.getByLabel('Transaction hash').fill(hash)
    await dialog.getByRole('button', { name: 'Check and record' }).click()
  }
  await recordHash('0x12')
  await expect(dialog.getByText('Enter a transaction hash: 0x and 64 hexadecimal digits.')).toBeVisible()
  await expectAccessible(page, 'refund')
  await recordHash(`0x${'12'.repeat(32)}`)
  await expectToast('Error', 'Transaction not found on the chain. Check its hash and the network.')
  const payer = testAccount(unknownWalletIndex)
  await recordHash(await sendTransfer(payer, testAccount(traderWalletIndex).address, '1'))
  await expectToast('Error', /does not transfer ITO from the treasury/)
  const { treasuryKey }: { treasuryKey: Hex } = JSON.parse(await readFile(`${product.dataDir}/secrets.json`, 'utf8'))
  const treasury = privateKeyToAccount(treasuryKey)
  await setBalance(treasury.address, parseEther('1'))
  const refundHash = await sendTransfer(treasury, payer.address, amount)
  await recordHash(refundHash)
  await expectToast('Refund Recorded', /./)
  await expect(dialog).toBeHidden()
  await expect(payment).toContainText(`Refunded ${amount} ITO`)
  await expect(payment).toContainText(refundHash.slice(0, 6))
}

/** Signs in with a wallet and creates an order of 6 hours. */
async function createOrder(addressIndex: number): Promise<void> {
  const client = createTestClient(product.url)
  const account = testAccount(addressIndex)
  const walletAddress = account.address
  const { message } = await client.call('walletSignInChallenge', { body: { walletAddress } })
  await client.call('walletSignIn', { body: { message, signature: await account.signMessage({ message }) } })
  await client.call('createOrder', { body: { planType: '6h', walletAddress } })
}

/** Creates an alert through the API, without broadcast. */
async function createAlertByApi(summary: string): Promise<void> {
  const data = { asset: 'DOT/USDT', confidence: 71, priority: 'low', summary, broadcast: false }
  await sendByApi(`${product.url}/api/alerts`, data)
}

/**
 * Reads the anchor wallet. Repeats the request while its balance is unknown, which means that the
 * chain has not answered within 1.5 seconds.
 */
async function readAnchorWallet(): Promise<{ wallet: string; balanceWei: string; anchorsLeft: number }> {
  let anchor: { wallet: string; balanceWei: string; anchorsLeft: number } | undefined
  await expect(async () => {
    const response = await page.context().request.get(`${product.url}/api/admin/system`)
    expect(response.status()).toBe(200)
    const status = await response.json()
    expect(status.anchor.anchorsLeft).not.toBeNull()
    anchor = status.anchor
  }).toPass()
  if (!anchor) throw new Error('The anchor wallet was not read')
  return anchor
}

/** Sets the ETH balance of an address on the local chain, in wei. */
async function setBalance(wallet: string, wei: bigint): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params: [wallet, `0x${wei.toString(16)}`] }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(product.chainUrl, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(await response.json()).not.toHaveProperty('error')
}

/** Collects page errors and console errors, including CSP violations, but no network errors. */
function collectPageErrors(target: Page): string[] {
  const errors: string[] = []
  target.on('pageerror', (error) => errors.push(String(error)))
  target.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  return errors
}
