import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContext, expect, type Locator, type Page, test } from '@playwright/test'
import { systemClock } from '@tocsin/server/clock.ts'
import { createAccount } from '@tocsin/server/features/accounts/service.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createTestContext, productionEnv, startTestChain, startTestDatabase, testConfig } from '@tocsin/testkit'
import { createSelfSignedCertificate } from '@tocsin/testkit/self-signed'
import { parseEther } from 'viem'
import { holdRequests } from './hold-requests.ts'
import { openLocalChain } from './local-chain.ts'
import { type RunningProduct, runProduct } from './product.ts'
import { confirmByPassword, keepConfirmed, startSession } from './session.ts'
import { heartbeatsDisabled, waitUntilAnchored } from './shop.ts'
import { expectToastIn, recordToasts } from './toasts.ts'

// Tests of errors of the admin area that depend on the operator's settings, feed or chain, or on a
// second admin. The product uses an external database and chain.

let database: Awaited<ReturnType<typeof startTestDatabase>>
let testChain: Awaited<ReturnType<typeof startTestChain>>
let databaseUrl: string
let env: Record<string, string>
let url: string
let runningServer: RunningProduct | undefined
/** The page of the signed-in admin, shared by all tests. */
let page: Page
/** A second admin in another browser context. */
let colleague: { context: BrowserContext; id: string }

const admin = { email: 'ada@northquay.example', password: 'a bell at the harbour' }
const colleaguesLogin = { email: 'grace@northquay.example', password: 'a lantern at the harbour' }

// Later tests depend on the data of earlier ones, which survives the restart.
test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  ;[database, testChain] = await Promise.all([startTestDatabase(), startTestChain()])
  const port = String(await findFreePort())
  url = `http://localhost:${port}`
  databaseUrl = await database.createDatabase()
  env = {
    ...productionEnv(databaseUrl, testChain),
    PORT: port,
    PUBLIC_URL: url,
    CONFIRMATIONS: '1',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    ADMIN_SECOND_FACTOR: 'false',
    // One test removes the newest block, which must be the block of a payment, not of a heartbeat.
    ...heartbeatsDisabled,
  }
  runningServer = await runProduct({ ...env, FEED_ALLOW_PRIVATE: 'true' }, 'Tocsin is up')
  const context = await browser.newContext()
  await recordToasts(context)
  page = await context.newPage()
  await startSession(context, url, admin)
  const id = await addColleague()
  await sendRequest(page.context(), 'PUT', `/api/admin/users/${id}/role`, { role: 'admin', reason: 'The second one' })
  colleague = { context: await openColleague(browser), id }
})

/**
 * Creates the second admin's account directly in the database, because the product has no mail
 * server for a sign-up. It has a password, with which staff sign in if they need no second factor.
 */
async function addColleague(): Promise<string> {
  const { ctx, close } = await createTestContext(testConfig({ databaseUrl }), systemClock)
  const id = await createAccount(ctx, { ...colleaguesLogin, name: 'Grace', role: 'user', verified: true })
  await close()
  return id
}

async function openColleague(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext()
  await startSession(context, url, colleaguesLogin)
  return context
}
test.beforeEach(
  keepConfirmed(async () => {
    await confirmByPassword(page.context(), url, admin)
    await confirmByPassword(colleague.context, url, colleaguesLogin)
  }),
)
test.afterAll(async () => {
  await runningServer?.stop()
  await Promise.all([database?.stop(), testChain?.stop()])
})

test('payment credit: is rejected when the payment was already used or was removed by a reorganization', async () => {
  const { reorg } = await openLocalChain({ url, chainUrl: testChain.url })
  await waitUntilAnchored(url)
  for (const amount of ['9.25', '9.5', '9.75']) await testChain.pay({ from: 3, amountWei: parseEther(amount) })
  await page.goto(`${url}/admin?tab=users&view=payments`)
  const dialog = await fillCreditDialog('9.5')
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Payment Resolved', 'The payment is credited.')

  // Simulates a race: the payment is credited to its payer while it is recorded as unmatched.
  await database.execute(
    databaseUrl,
    `update unmatched_transfers set resolved_at = null, resolution = null where amount_wei = ${parseEther('9.5')}`,
  )
  await page.reload()
  await fillCreditDialog('9.5')
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Error', 'This payment has already been used.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await fillCreditDialog('9.75')
  await reorg(1)
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Error', 'The payment is no longer on the chain.')
})

test('feed test: shows a specific error when the endpoint is not a valid feed', async () => {
  const { cert, key } = createSelfSignedCertificate('localhost')
  const servers = await Promise.all([
    startServer((_request, response) => response.writeHead(401).end(), 'The endpoint refused the API key'),
    startServer(
      (_request, response) => response.writeHead(302, { location: '/v2' }).end(),
      'The endpoint redirects to another address. Redirects are not followed',
    ),
    startServer((_request, response) => response.end('hello'), 'The endpoint is not a WebSocket: it returned 200'),
    startServer((_request, response) => response.end(), 'The certificate of the endpoint is not valid', { cert, key }),
  ])
  // To hide timing, the server responds to a connection test after five seconds at the earliest, so
  // the tests run in parallel tabs.
  await Promise.all(
    servers.map(async ({ endpoint, message }) => {
      const tab = await page.context().newPage()
      await tab.goto(`${url}/admin?tab=dashboard`)
      const panel = findFeedPanel(tab)
      await panel.getByLabel('Endpoint').fill(endpoint)
      await panel.getByLabel('API key', { exact: true }).fill('a-key-of-no-feed-7777')
      await panel.getByRole('button', { name: 'Test Connection' }).click()
      await expect(panel.getByRole('region', { name: 'Result of the test' })).toContainText(message)
      await expectToastIn(tab, 'Connection Failed', message)
      await tab.close()
    }),
  )
  await page.goto(`${url}/admin?tab=dashboard`)
  const panel = findFeedPanel(page)
  await panel.getByLabel('Endpoint').fill(servers[0]?.endpoint ?? '')
  await panel.getByLabel('API key', { exact: true }).fill('a-key-of-no-feed-7777')
  await panel.getByLabel('Enabled').check()
  await panel.getByRole('button', { name: 'Save Configuration' }).click()
  await expectToast('WebSocket Config Updated', /saved/)
  for (const { close } of servers) close()
})

test('chain change: is rejected when another admin made the same change first, and warns when no node is configured', async () => {
  await page.goto(`${url}/admin?tab=dashboard`)
  await page.route('**/api/admin/settings/chain_id', async (route) => {
    if (route.request().method() === 'PUT') {
      await sendRequest(colleague.context, 'PUT', '/api/admin/settings/chain_id', { value: '137', description: '' })
    }
    await route.continue()
  })
  const dialog = await openChainConfirmation('137')
  await dialog.getByRole('button', { name: 'Change chain' }).click()
  await expectToast('Error', 'Chain ID is already set to this value.')
  await page.unrouteAll({ behavior: 'wait' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await openChainConfirmation('1')
  await dialog.getByRole('button', { name: 'Change chain' }).click()
  await expectToast(
    'Chain Configuration Updated',
    'Payments are made on Ethereum Mainnet from now on. No node is configured for this chain. Payments on it are not credited until PAYMENT_CHAINS has a node for it.',
  )
})

test('roles: staff see the tabs and buttons of their role, and owners cannot change their own role', async ({
  browser,
}) => {
  const openAs = async (role: string) => {
    await sendRequest(page.context(), 'PUT', `/api/admin/users/${colleague.id}/role`, { role, reason: 'A new task' })
    await colleague.context.close()
    const context = await openColleague(browser)
    colleague = { ...colleague, context }
    const colleaguePage = await context.newPage()
    await colleaguePage.goto(`${url}/admin`)
    await expect(colleaguePage.getByRole('tab').first()).toBeVisible()
    return { own: colleaguePage, tabs: await colleaguePage.getByRole('tab').allTextContents() }
  }
  const publisher = await openAs('publisher')
  expect(publisher.tabs).toEqual(['Alerts'])
  await expect(publisher.own.getByRole('button', { name: 'Create Alert' })).toBeVisible()

  const support = await openAs('support')
  expect(support.tabs).toEqual(['User Management', 'Support messages'])
  await support.own.goto(`${url}/admin?tab=users&view=payments`)
  await expect(support.own.getByText(/^Total users/)).toBeVisible()
  await support.own.getByRole('button', { name: 'Administrator', exact: true }).click()
  await expect(support.own.getByText('Full access to this area, including roles.')).toBeVisible()
  await expect(support.own.getByRole('button', { name: /Suspend|Change role|End all/ })).toHaveCount(0)

  const auditor = await openAs('auditor')
  expect(auditor.tabs).toEqual(['Business', 'Dashboard', 'Alerts', 'User Management', 'Support messages'])
  await auditor.own.goto(`${url}/admin?tab=alerts`)
  await expect(auditor.own.getByText('Alert History')).toBeVisible()
  await expect(auditor.own.getByRole('button', { name: 'Create Alert' })).toHaveCount(0)
  await auditor.own.goto(`${url}/admin?tab=dashboard`)
  await expect(auditor.own.getByText('Chain Configuration')).toBeVisible()
  await expect(
    auditor.own.getByRole('button', { name: /Update chain|Save Configuration|Test Connection/ }),
  ).toHaveCount(0)

  await page.goto(`${url}/admin?tab=users`)
  await page.getByRole('button', { name: 'Administrator', exact: true }).click()
  await expect(page.getByText('Only another account with the Owner role can change your role.')).toBeVisible()
  // Make the second admin an owner for the tests below.
  await openAs('owner')
})

test.describe('after a restart with another APP_SECRET, another payment chain and without FEED_ALLOW_PRIVATE', () => {
  test.beforeAll(async () => {
    await page.goto(`${url}/admin?tab=dashboard`)
    await openChainConfirmation('31337')
    await runningServer?.stop()
    const otherChain = { CHAIN_ID: '1', PAYMENT_RPC_URL: 'http://127.0.0.1:9', TWO_ADMINS: 'true' }
    runningServer = await runProduct({ ...env, ...otherChain, APP_SECRET: `0x${'7f'.repeat(32)}` }, 'Tocsin is up')
  })

  test('chain change: is rejected when the chain is no longer supported', async () => {
    const dialog = page.getByRole('dialog', { name: 'Change to Local Chain?' })
    await page.getByRole('button', { name: 'Change chain' }).click()
    await expectToast('Error', 'This chain is not supported.')
    await expect(dialog).toBeVisible()
  })

  test('feed settings: report an unreadable API key, and reject the endpoint when its address is not public', async () => {
    await page.goto(`${url}/admin?tab=dashboard`)
    const panel = findFeedPanel(page)
    const unreadableKeyText = 'The stored API key can’t be read: APP_SECRET is another one now. Enter the key again.'
    await expect(panel.getByText(unreadableKeyText)).toBeVisible()
    const message = 'The endpoint is not at a public address'
    for (const endpoint of ['ws://127.0.0.1:9', 'ws://2130706433/', 'wss://[::ffff:10.0.0.1]/', 'wss://localhost.']) {
      await panel.getByLabel('Endpoint').fill(endpoint)
      await panel.getByLabel('API key', { exact: true }).fill('a-key-of-no-feed-8888')
      await panel.getByRole('button', { name: 'Save Configuration' }).click()
      await expectToast('Update Failed', message)
      await panel.getByRole('button', { name: 'Test Connection' }).click()
      await expectToast('Connection Failed', message)
    }
  })

  test('payment credit: is rejected when no node is configured for its chain', async () => {
    await page.goto(`${url}/admin?tab=users&view=payments`)
    const dialog = await fillCreditDialog('9.25')
    await dialog.getByRole('button', { name: 'Credit the plan' }).click()
    await expectToast('Error', 'No node is configured for the chain of this payment: it can’t be checked.')
  })

  test('two admins: a treasury change is proposed, approved by the other admin, announced and cancelled', async () => {
    const treasury = '0x000000000000000000000000000000000000dEaD'
    await page.goto(`${url}/admin?tab=dashboard`)
    const rule = page.getByRole('region', { name: 'Two-admin rule' })
    await rule.getByRole('button', { name: 'Propose a change' }).click()
    const dialog = page.getByRole('dialog', { name: 'Propose a change' })
    await dialog.getByLabel('New address').fill(treasury)
    await dialog.getByLabel('Reason').fill('A new safe')
    await dialog.getByRole('button', { name: 'Propose' }).click()
    await expectToast('Change Proposed', /./)
    await expect(rule.getByText('Another admin has to approve it.')).toBeVisible()
    await expect(rule.getByRole('button', { name: 'Approve' })).toHaveCount(0)

    const secondPage = await colleague.context.newPage()
    await secondPage.goto(`${url}/admin?tab=dashboard`)
    const pendingChange = secondPage.getByRole('region', { name: 'Two-admin rule' }).getByRole('listitem').first()
    await expect(pendingChange).toContainText('Waits for approval')
    await pendingChange.getByRole('button', { name: 'Approve' }).click()
    await expect(pendingChange).toContainText(/Approved.*Takes effect/)
    await expect(pendingChange).toContainText(treasury)
    await secondPage.goto(`${url}/transparency`)
    const announced = secondPage.getByRole('region', { name: 'Announced changes' })
    await expect(announced).toContainText(treasury)
    await expect(announced).toContainText(/Takes effect .*Two admins have approved it/)

    await page.reload()
    await rule.getByRole('button', { name: 'Cancel change' }).click()
    await expect(rule.getByRole('listitem').first()).toContainText('Cancelled')
    await secondPage.reload()
    await expect(secondPage.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(announced).toHaveCount(0)
    await secondPage.close()
  })

  test('suspension: one owner remains when two owners suspend each other at the same time', async () => {
    await page.goto(`${url}/admin?tab=users&user=${colleague.id}`)
    await page.getByRole('button', { name: 'Suspend…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Suspend' })
    await dialog.getByLabel('Reason').fill('It was them')
    const { user } = await (await page.context().request.get(`${url}/api/auth/user`)).json()
    // Click before the lock is taken, because the server ends a wait for a lock after three
    // seconds.
    const releaseRequest = await holdRequests(page, '**/suspend')
    const heldRequest = page.waitForRequest('**/suspend')
    await dialog.getByRole('button', { name: 'Suspend' }).click()
    await heldRequest
    // A row lock on this admin's account delays the second admin's request, which is sent first.
    const heldLock = await database.openTransaction(
      databaseUrl,
      `select 1 from accounts where id = '${user.id}' for update`,
    )
    const first = sendRequest(colleague.context, 'POST', `/api/admin/users/${user.id}/suspend`, {
      reason: 'It was them',
    })
    await expect.poll(heldLock.countWaiting, { intervals: [20] }).toBe(1)
    releaseRequest()
    await expect.poll(heldLock.countWaiting, { intervals: [20] }).toBe(2)
    await heldLock.release()
    await first
    await expectToast('Error', 'The last owner can’t be suspended. Make another account an owner first.')
    await expect(page, 'the suspended owner is signed out').toHaveURL(/\/admin-auth/)
  })
})

function findFeedPanel(tab: Page): Locator {
  return tab.getByRole('region', { name: 'External Signal Configuration' })
}

function expectToast(title: string, description: string | RegExp): Promise<void> {
  return expectToastIn(page, title, description)
}

/** Opens the dialog of an unmatched payment and fills in a credit to the admin's own account. */
async function fillCreditDialog(amount: string): Promise<Locator> {
  await page.getByRole('button', { name: `Resolve the payment of ${amount} ITO manually` }).click()
  const dialog = page.getByRole('dialog', { name: 'Resolve payment' })
  await dialog.getByText('Credit a plan').click()
  await dialog.getByLabel('Search accounts').fill(admin.email)
  await dialog.getByRole('list', { name: 'Accounts found' }).getByRole('button').click()
  await dialog.getByLabel('Reason').fill('Agreed by mail')
  return dialog
}

/** Selects a chain and returns the confirmation dialog. */
async function openChainConfirmation(chainId: string): Promise<Locator> {
  const panel = page.getByRole('region', { name: 'Chain Configuration' })
  await panel.getByLabel('Change to').selectOption(chainId)
  await panel.getByRole('button', { name: 'Update chain' }).click()
  return page.getByRole('dialog', { name: /^Change to / })
}

/** Sends a request with the session of the context, outside the page. */
async function sendRequest(context: BrowserContext, method: string, path: string, data: object): Promise<void> {
  const response = await context.request.fetch(`${url}${path}`, { method, data, headers: { origin: url } })
  expect(response.ok(), await response.text()).toBe(true)
}

/** Starts an HTTP server, or an HTTPS server with the given certificate. */
async function startServer(listener: RequestListener, message: string, tls?: { cert: string; key: string }) {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The address of a server that listens on a TCP port is an AddressInfo.
  const { port } = server.address() as AddressInfo
  return { endpoint: `${tls ? 'wss' : 'ws'}://127.0.0.1:${port}`, message, close: () => server.close() }
}
