import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type BrowserContext, expect, type Locator, type Page, test } from '@playwright/test'
import type { LogHead } from '@tocsin/protocol'
import { productionEnv, startTestChain, startTestDatabase } from '@tocsin/testkit'
import { parseEther } from 'viem'
import { openLocalChain } from './local-chain.ts'
import { logIn } from './log-in.ts'
import { freePort, type Running, run } from './product.ts'
import { makeSelfSigned } from './self-signed.ts'
import { signIn } from './shop.ts'

/**
 * What the admin area says where only an operator’s own settings, feed, chain or colleague can
 * bring it: on a database and a chain of theirs.
 */

let database: Awaited<ReturnType<typeof startTestDatabase>>
let payments: Awaited<ReturnType<typeof startTestChain>>
let databaseUrl: string
let env: Record<string, string>
let url: string
let running: Running | undefined
/** Signed in as the admin, for all tests. */
let page: Page
/** Another admin, elsewhere. */
let colleague: { context: BrowserContext; id: string }

const admin = { email: 'ada@northquay.example', password: 'a bell at the harbour' }
const colleaguesWallet = 8

// What those before a test did is there after the restart.
test.describe.configure({ mode: 'serial' })

test.beforeAll(async ({ browser }) => {
  ;[database, payments] = await Promise.all([startTestDatabase(), startTestChain()])
  const port = String(await freePort())
  url = `http://localhost:${port}`
  databaseUrl = await database.createDatabase()
  env = {
    ...productionEnv(databaseUrl, payments),
    PORT: port,
    PUBLIC_URL: url,
    CONFIRMATIONS: '1',
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  }
  running = await run({ ...env, FEED_ALLOW_PRIVATE: 'true' }, 'Tocsin is up')
  page = await (await browser.newContext()).newPage()
  await page.goto(`${url}/admin-auth`)
  await logIn(page, admin)
  await expect(page).toHaveURL(/\/admin$/)
  const chain = await openLocalChain({ url, chainUrl: payments.url })
  const visitor = await signIn({ url, chainUrl: payments.url, chain }, browser, colleaguesWallet)
  const { user } = await (await visitor.request.get(`${url}/api/auth/user`)).json()
  await send(page.context(), 'PUT', `/api/admin/users/${user.id}/role`, { role: 'admin', reason: 'The second one' })
  colleague = { context: await signIn({ url, chainUrl: payments.url, chain }, browser, colleaguesWallet), id: user.id }
})
test.afterAll(async () => {
  await running?.stop()
  await Promise.all([database?.stop(), payments?.stop()])
})

test('a payment that was used, and one that the chain has lost, give no plan', async () => {
  const { reorg } = await openLocalChain({ url, chainUrl: payments.url })
  await untilNothingMines()
  for (const amount of ['9.25', '9.5', '9.75']) await payments.pay({ from: 3, amountWei: parseEther(amount) })
  await page.goto(`${url}/admin?tab=users&view=payments`)
  const dialog = await fillCredit('9.5')
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Payment Resolved', 'The payment is credited.')

  // As when it was counted for its payer in the moment in which it was put on record as nobody's.
  await database.execute(
    databaseUrl,
    `update unmatched_transfers set resolved_at = null, resolution = null where amount_wei = ${parseEther('9.5')}`,
  )
  await page.reload()
  await fillCredit('9.5')
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Error', 'This payment has already been used.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await fillCredit('9.75')
  await reorg(1)
  await dialog.getByRole('button', { name: 'Credit the plan' }).click()
  await expectToast('Error', 'The chain does not show this payment any more.')
})

test('what answers at the endpoint, and is no feed, is told apart', async () => {
  const { cert, key } = makeSelfSigned('localhost')
  const places = await Promise.all([
    listen((_request, response) => response.writeHead(401).end(), 'The endpoint refused the API key'),
    listen(
      (_request, response) => response.writeHead(302, { location: '/v2' }).end(),
      'The endpoint redirects, which is not followed',
    ),
    listen((_request, response) => response.end('hello'), 'The endpoint is no WebSocket: it answered 200'),
    listen((_request, response) => response.end(), 'The certificate of the endpoint is not valid', { cert, key }),
  ])
  // No answer comes sooner than after five seconds, so that its time tells nothing: a tab for each.
  await Promise.all(
    places.map(async ({ endpoint, said }) => {
      const tab = await page.context().newPage()
      await tab.goto(`${url}/admin`)
      const panel = feedPanel(tab)
      await panel.getByLabel('Endpoint').fill(endpoint)
      await panel.getByLabel('API key', { exact: true }).fill('a-key-for-nobody-7777')
      await panel.getByRole('button', { name: 'Test Connection' }).click()
      await expect(panel.getByRole('region', { name: 'Result of the test' })).toContainText(said)
      await expectToast('Connection Failed', said, tab)
      await tab.close()
    }),
  )
  await page.goto(`${url}/admin`)
  const panel = feedPanel(page)
  await panel.getByLabel('Endpoint').fill(places[0]?.endpoint ?? '')
  await panel.getByLabel('API key', { exact: true }).fill('a-key-for-nobody-7777')
  await panel.getByLabel('Enabled').check()
  await panel.getByRole('button', { name: 'Save Configuration' }).click()
  await expectToast('WebSocket Config Updated', /saved/)
  for (const { close } of places) close()
})

test('the chain that another admin has chosen a moment before, then one without a node', async () => {
  await page.goto(`${url}/admin`)
  await page.route('**/api/admin/settings/chain_id', async (route) => {
    if (route.request().method() === 'PUT') {
      await send(colleague.context, 'PUT', '/api/admin/settings/chain_id', { value: '137', description: '' })
    }
    await route.continue()
  })
  const dialog = await askForChain('137')
  await dialog.getByRole('button', { name: 'Change chain' }).click()
  await expectToast('Error', 'Chain ID is already set to this value.')
  await page.unrouteAll()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await askForChain('1')
  await dialog.getByRole('button', { name: 'Change chain' }).click()
  await expectToast(
    'Chain Configuration Updated',
    'Payments are made on Ethereum Mainnet from now on. No node is configured for it: payments on it wait until PAYMENT_CHAINS names one.',
  )
})

test.describe('started with another secret, another chain and no private feeds', () => {
  test.beforeAll(async () => {
    await page.goto(`${url}/admin`)
    await askForChain('31337')
    await running?.stop()
    const elsewhere = { CHAIN_ID: '1', PAYMENT_RPC_URL: 'http://127.0.0.1:9' }
    running = await run({ ...env, ...elsewhere, APP_SECRET: `0x${'7f'.repeat(32)}` }, 'Tocsin is up')
  })

  test('a chain that was offered before, and is not supported any more', async () => {
    const dialog = page.getByRole('dialog', { name: 'Change to Local Chain?' })
    await page.getByRole('button', { name: 'Change chain' }).click()
    await expectToast('Error', 'This chain is not supported.')
    await expect(dialog).toBeVisible()
  })

  test('a key that can’t be read any more, and an endpoint that is not public', async () => {
    await page.goto(`${url}/admin`)
    const panel = feedPanel(page)
    const unreadable = 'The stored API key can’t be read: APP_SECRET is another one now. Enter the key again.'
    await expect(panel.getByText(unreadable)).toBeVisible()
    const said = 'The endpoint is not at a public address'
    for (const endpoint of ['ws://127.0.0.1:9', 'ws://2130706433/', 'wss://[::ffff:10.0.0.1]/', 'wss://localhost.']) {
      await panel.getByLabel('Endpoint').fill(endpoint)
      await panel.getByLabel('API key', { exact: true }).fill('a-key-for-nobody-8888')
      await panel.getByRole('button', { name: 'Save Configuration' }).click()
      await expectToast('Update Failed', said)
      await panel.getByRole('button', { name: 'Test Connection' }).click()
      await expectToast('Connection Failed', said)
    }
  })

  test('a payment on a chain that there is no node for any more', async () => {
    await page.goto(`${url}/admin?tab=users&view=payments`)
    const dialog = await fillCredit('9.25')
    await dialog.getByRole('button', { name: 'Credit the plan' }).click()
    await expectToast('Error', 'No node is configured for the chain of this payment: it can’t be checked.')
  })

  test('two admins who shut each other out at once: one of them stays', async () => {
    await page.goto(`${url}/admin?tab=users&user=${colleague.id}`)
    await page.getByRole('button', { name: 'Suspend…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Suspend' })
    await dialog.getByLabel('Reason').fill('It was them')
    const { user } = await (await page.context().request.get(`${url}/api/auth/user`)).json()
    // The colleague is first, and has to wait for something else to be written of this admin.
    const held = await database.hold(databaseUrl, `select 1 from accounts where id = '${user.id}' for update`)
    const first = send(colleague.context, 'POST', `/api/admin/users/${user.id}/suspend`, { reason: 'It was them' })
    await expect.poll(held.countWaiting).toBe(1)
    await dialog.getByRole('button', { name: 'Suspend' }).click()
    await expect.poll(held.countWaiting).toBe(2)
    await held.release()
    await first
    await expectToast('Error', 'The last admin can’t be suspended. Make another account an admin first.')
    await expect(page, 'and this one is out').toHaveURL(/\/admin-auth/)
  })
})

function feedPanel(where: Page): Locator {
  return where.getByRole('region', { name: 'External Signal Configuration' })
}

async function expectToast(title: string, description: string | RegExp, where: Page = page): Promise<void> {
  const toast = where.locator('li.toast:not([data-seen])').filter({ hasText: title }).filter({ hasText: description })
  await expect(toast, title).toBeVisible()
  await toast.evaluate((element) => {
    element.dataset.seen = ''
  })
}

/**
 * Opens the dialog of an unmatched payment and fills it in: the plan is for the admin's own
 * account.
 */
async function fillCredit(amount: string): Promise<Locator> {
  await page.getByRole('button', { name: `Resolve the payment of ${amount} ITO by hand` }).click()
  const dialog = page.getByRole('dialog', { name: 'Resolve payment' })
  await dialog.getByText('Credit a plan').click()
  await dialog.getByLabel('Search accounts').fill(admin.email)
  await dialog.getByRole('list', { name: 'Accounts found' }).getByRole('button').click()
  await dialog.getByLabel('Reason').fill('Agreed by mail')
  return dialog
}

/** Up to the question whether it shall be. */
async function askForChain(chainId: string): Promise<Locator> {
  const panel = page.getByRole('region', { name: 'Chain Configuration' })
  await panel.getByLabel('Change to').selectOption(chainId)
  await panel.getByRole('button', { name: 'Update chain' }).click()
  return page.getByRole('dialog', { name: /^Change to / })
}

/** What another page of theirs, or a program, sends. */
async function send(context: BrowserContext, method: string, path: string, data: object): Promise<void> {
  const answer = await context.request.fetch(`${url}${path}`, { method, data, headers: { origin: url } })
  expect(answer.ok(), await answer.text()).toBe(true)
}

/** Somebody who answers HTTP, with a certificate or without one. */
async function listen(answer: RequestListener, said: string, tls?: { cert: string; key: string }) {
  const server = tls ? createTlsServer(tls, answer) : createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  return { endpoint: `${tls ? 'wss' : 'ws'}://127.0.0.1:${port}`, said, close: () => server.close() }
}

/** The server anchors the keys that its log begins with: until then a block may come by itself. */
async function untilNothingMines(): Promise<void> {
  const isAnchored = async () => {
    const { size, anchored }: LogHead = await (await fetch(`${url}/api/log/head`)).json()
    return size > 0 && anchored?.size === size
  }
  await expect.poll(isAnchored).toBe(true)
}
