import { expect, type Locator, type Page, test } from '@playwright/test'
import { itoTokenAbi } from '@tocsin/contracts/abi'
import { testAccount } from '@tocsin/testkit'
import { decodeFunctionData, type Hex, parseEther } from 'viem'
import { expectAccessible } from './accessible.ts'
import { closeByEscape } from './close-dialog.ts'
import { type LocalChain, openLocalChain } from './local-chain.ts'
import { logIn } from './log-in.ts'
import { type Product, startProduct } from './product.ts'
import { openConnectedDashboard, type ScriptedWallet } from './scripted-wallet.ts'
import {
  choosePlan,
  heartbeatsDisabled,
  openBuyer,
  openTab,
  readOrders,
  refetchPolledData,
  signIn,
  waitUntilAnchored,
} from './shop.ts'
import { type SignalFeed, startSignalFeed } from './signal-feed.ts'
import { expectToastIn } from './toasts.ts'

let feed: SignalFeed
let product: Product
let chain: LocalChain
let shop: Product & { chain: LocalChain }

test.beforeAll(async () => {
  // Disable signals and heartbeats, because their anchors would mine blocks that these tests do not
  // expect.
  feed = await startSignalFeed()
  product = await startProduct({ CONFIRMATIONS: '2', FEED_URL: feed.endpoint, ...heartbeatsDisabled })
  await waitUntilAnchored(product.url)
  chain = await openLocalChain(product)
  await chain.pauseDemoMining()
  shop = { ...product, chain }
})
test.afterAll(async () => {
  await product?.discard()
  feed?.close()
})
test.afterEach(async ({ browser }) => {
  await Promise.all(browser.contexts().map((context) => context.close()))
})

const gwei = 1_000_000_000n

test('purchase: sends one transfer of exactly the price to the treasury and counts its confirmations', async ({
  browser,
}) => {
  const { page, wallet, dialog } = await openBuyer(shop, browser)
  await choosePlan(page)
  await expect(dialog.getByText(/^One transfer of exactly 10 ITO on Local Chain/)).toBeVisible()
  await expect(dialog.getByText(chain.treasury, { exact: true })).toBeVisible()
  await expect(dialog.getByText(/0\.0+\d+ ETH/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).dblclick()
  await expect(dialog.getByRole('heading', { name: 'Payment in a block' })).toBeVisible()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await expect(dialog.getByText(/^1 more confirmation\./)).toBeVisible()
  expect(decodeTransfers(wallet)).toEqual([{ contract: chain.token, to: chain.treasury, amountWei: parseEther('10') }])
  const [order] = await readOrders(shop, page.context())
  expect(order).toMatchObject({ treasury: chain.treasury, token: chain.token, priceWei: '10000000000000000000' })

  await page.reload()
  await openConnectedDashboard(page)
  await page.getByRole('button', { name: 'Payment…' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Open dashboard' }).click()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Balance 90 ITO, refresh' })).toBeVisible()
  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  await expectToastIn(page, 'Subscription Failed', 'You already have an active subscription')
  await expect(dialog).toHaveCount(0)

  await page.getByRole('link', { name: 'Payment history' }).click()
  const row = page.getByRole('row').filter({ hasText: '6 hours' })
  await expect(row).toContainText('10 ITO')
  await expect(row).toContainText('Paid')
  expect(wallet.sentTransactions, 'no second transaction was requested').toHaveLength(1)
})

test('purchase: asks for a wallet, enough ITO, the right network and enough ETH in this order when they are missing', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser, {
    ito: '4',
    eth: '0',
    isConnected: false,
  })
  await page.getByRole('button', { name: 'Disconnect wallet' }).click()
  await expectToastIn(page, 'Wallet Disconnected', 'Your wallet has been disconnected successfully')
  expect(wallet.requestedMethods).toContain('wallet_revokePermissions')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('tab', { name: 'Payments' }).click()
  await expect(page.getByText('No payments yet')).toBeVisible()
  await page.getByRole('button', { name: 'See the plans' }).click()
  await dialog.getByRole('button', { name: 'Select Plan' }).first().click()
  await expectToastIn(page, 'Subscription Failed', 'Wallet not connected')
  await expect(dialog.getByRole('heading', { name: 'Subscribe to Insights' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(dialog).toHaveCount(0)

  await page.getByRole('button', { name: 'Connect Wallet' }).click()
  await expect(page.getByRole('dialog').getByText('Last used')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'WalletConnect' }), 'not offered unless configured').toHaveCount(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Scripted Wallet' }).click()
  await expect(page.getByRole('button', { name: 'Balance 4 ITO, refresh' })).toBeVisible()
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  const insufficientTokens = 'Insufficient ITO tokens. You need 10 ITO but only have 4.00 ITO.'
  await expect(dialog.getByText(insufficientTokens, { exact: true })).toBeVisible()
  await expect(dialog.getByText('Missing').locator('..')).toHaveText('Missing6 ITO')
  await closeByEscape(dialog)
  await chain.transfer(3, '96', { to: testAccount(account).address })
  // A balance that can't be read is unknown, not 0.
  const isTokenRead = (body: string | null) => body?.includes('70a08231') ?? false
  await page.route('**/dev/chain', (route) =>
    isTokenRead(route.request().postData()) ? route.fulfill({ status: 503 }) : route.continue(),
  )
  await page.getByRole('button', { name: /^Balance (4|100) ITO, refresh$/ }).click()
  const unknownBalanceButton = page.getByRole('button', { name: 'Balance unknown, refresh' })
  await expect(unknownBalanceButton).toHaveText('— ITO')
  await expect(page.getByRole('main').getByText('Balance unknown')).toBeAttached()
  await page.getByRole('button', { name: 'Select Plan: 6 hours, 10 ITO' }).click()
  const unknownBalanceMessage = /only have 0\.0 ITO\. Your balance could not be read: try again\.$/
  await expectToastIn(page, 'Subscription Failed', unknownBalanceMessage)
  await page.unrouteAll({ behavior: 'wait' })
  await expect(
    page.getByRole('button', { name: 'Balance 100 ITO, refresh' }),
    'the balance is read again once the chain answers',
  ).toBeVisible()
  await choosePlan(page)
  await expect(dialog.getByRole('button', { name: 'Not enough ETH for the fee' })).toBeDisabled()
  await expect(dialog.getByText(/^You need about 0\.\d+ ETH for the network fee; you have 0\.$/)).toBeVisible()

  await wallet.switchChain(1)
  await expect(dialog.getByText('Wrong Network')).toBeVisible()
  await expect(dialog.getByRole('button', { name: /^Pay/ })).toHaveCount(0)
  wallet.rejectNext('wallet_switchEthereumChain')
  await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
  await expectToastIn(page, 'Network Switch Failed', 'User rejected the request.')
  wallet.rejectNext('wallet_switchEthereumChain', { code: 4902, message: 'Unrecognized chain ID' })
  await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
  await expectToastIn(page, 'Network Switched', 'Successfully switched to Local Chain.')
  await wallet.switchChain(137)
  const nestedError = { code: -32603, message: 'Internal error', data: { originalError: { code: 4902 } } }
  wallet.rejectNext('wallet_switchEthereumChain', nestedError)
  wallet.rejectNext('wallet_addEthereumChain', { code: -32000, message: 'no' })
  await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
  await expectToastIn(page, 'Network Switch Failed', 'Failed to add Local Chain to the wallet: no')
  wallet.rejectNext('wallet_switchEthereumChain', nestedError)
  await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
  await expect
    .poll(() => wallet.requestedMethods.filter((method) => method === 'wallet_addEthereumChain'))
    .toHaveLength(3)

  await chain.transfer(account, '95', { to: testAccount(3).address }).catch(() => {})
  await chain.setEth(account, '1')
  await refetchPolledData(page)
  await expect(dialog.getByRole('button', { name: 'Pay 10 ITO' })).toBeEnabled()
  expect(wallet.sentTransactions).toEqual([])
})

test('purchase: a plan chosen on the front page opens its purchase once after sign-in', async ({ browser }) => {
  const choosePlanSignedOut = async (page: Page, plan: RegExp) => {
    await page.goto(product.url)
    await page.getByRole('link', { name: plan }).click()
    await expect(page).toHaveURL(/\/auth\?tab=sign-up&next=%2Fdashboard%3Fplan%3D/)
  }
  const page = await (await browser.newContext()).newPage()
  const dialog = page.getByRole('dialog', { name: 'Confirm purchase' })
  await choosePlanSignedOut(page, /^Select Plan.*24 hours/)
  await page.getByRole('tab', { name: 'Log in' }).click()
  await logIn(page, product.trader)
  await expect(dialog.getByText('24 hours of live alerts')).toBeVisible()
  await expect(page).toHaveURL(`${product.url}/dashboard`)
  await page.reload()
  await expect(page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })).toBeVisible()
  await expect(dialog).toHaveCount(0)

  // Simulate the link of a verification email: it opens a new page that leads to /auth without
  // `next`.
  const otherPage = await (await browser.newContext()).newPage()
  await choosePlanSignedOut(otherPage, /^Select Plan.*3 days/)
  await otherPage.goto(`${product.url}/auth`)
  await logIn(otherPage, product.trader)
  await expect(otherPage.getByRole('dialog').getByText('72 hours of live alerts')).toBeVisible()
})

test('purchase: shows a specific message and allows a retry when the wallet responds with an error', async ({
  browser,
}) => {
  const { page, wallet, dialog } = await openBuyer(shop, browser)
  await choosePlan(page)
  const serverError = { success: false, code: 'fault', message: 'Something went wrong on our side', requestId: 'r' }
  await page.route('**/api/orders', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 500, json: serverError }) : route.continue(),
  )
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  const orderError = 'Failed to create subscription: Something went wrong on our side'
  await expect(dialog.getByText(orderError, { exact: true })).toBeVisible()
  await expectToastIn(page, 'Subscription Failed', orderError)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const walletErrors: [{ code: number; message: string }, RegExp, 'calm' | 'failed'][] = [
    [{ code: 4001, message: 'no' }, /You cancelled in your wallet\. Nothing was sent\.$/, 'calm'],
    [{ code: -32002, message: 'busy' }, /A request is already open in your wallet\. Open it to continue\.$/, 'failed'],
    [{ code: 4100, message: 'no' }, /This site is not connected to that account\. Connect again\.$/, 'failed'],
    [{ code: 4900, message: 'no' }, /Your wallet is offline for Local Chain\.$/, 'failed'],
    [
      { code: -32000, message: 'insufficient funds for gas * price + value' },
      /You need about 0\.\d+ ETH for the network fee; you have 10\.0+\.$/,
      'failed',
    ],
    [{ code: -32000, message: 'something else' }, /Transaction failed$/, 'failed'],
    [{ code: 4200, message: 'no' }, /Your wallet does not support this step\. Send exactly 10 ITO/, 'failed'],
  ]
  for (const [error, message, kind] of walletErrors) {
    wallet.rejectNext('eth_sendTransaction', error)
    // Reject this method too, because viem falls back to it if a wallet lacks eth_sendTransaction.
    wallet.rejectNext('wallet_sendTransaction', error)
    // The message contains the fee, which the page reads in the background.
    if (/insufficient/.test(error.message)) await expect(dialog.getByText(/0\.0+\d+ ETH/)).toBeVisible()
    await dialog.getByRole('button', { name: /^(Pay 10 ITO|Try again)$/ }).click()
    await expect(dialog.getByText(new RegExp(`^${message.source}`))).toBeVisible()
    if (kind === 'calm') expect(await page.evaluate(() => window.newToasts)).toEqual([])
    else if (error.message === 'something else') {
      await expectToastIn(page, 'Subscription Failed', 'Payment not confirmed: Transaction failed')
    } else await expectToastIn(page, 'Subscription Failed', message)
    await expect(dialog.getByText('We never ask for your seed phrase.')).toBeVisible({ visible: kind === 'failed' })
  }
  wallet.respondNext('eth_sendTransaction', { not: 'a hash' })
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByText(/^Your wallet returned no transaction/)).toBeVisible()
  const delayedPoll = await delayNextResponse(wallet, 'eth_accounts')
  await wallet.switchChain(1, { isSilent: true })
  const sentCount = wallet.sentTransactions.length
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect(dialog.getByText(/^Your wallet is not on Local Chain\./)).toBeVisible()
  delayedPoll.respond([wallet.address])
  await expect(
    dialog.getByRole('button', { name: 'Switch to Local Chain' }),
    'the poll detects the other chain',
  ).toBeVisible()
  expect(wallet.sentTransactions, 'no transaction is requested on another chain').toHaveLength(sentCount)
  await dialog.getByRole('button', { name: 'Switch to Local Chain' }).click()
  await expect(dialog.getByRole('button', { name: 'Try again' })).toBeEnabled()

  await dialog.getByRole('button', { name: 'Choose another plan' }).click()
  await expect(dialog.getByRole('heading', { name: 'Subscribe to Insights' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Select Plan' }).nth(1).click()
  // Switch accounts only when an order is created: the page also reads its orders from this URL.
  await page.route('**/api/orders', async (route) => {
    if (route.request().method() === 'POST') await wallet.switchAccount(3)
    await route.fallback()
  })
  await dialog.getByRole('button', { name: 'Pay 30 ITO' }).click()
  await expect(
    dialog.getByText(/^Your wallet changed to another account in the meantime\. Nothing was sent\.$/),
  ).toBeVisible()
  expect(wallet.sentTransactions).toHaveLength(sentCount)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByText(/^The connected wallet is 0x90F7…b906, but your account is linked to 0x/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Choose another account' })).toBeVisible()
  const readOrderStatuses = async () => (await readOrders(shop, page.context())).map(({ status }) => status)
  await expect
    .poll(readOrderStatuses, 'the page cancels the first order in the background')
    .toEqual(['open', 'cancelled'])
})

/**
 * Waits for the next request of this method and delays its response until `respond` is called. Used
 * to delay a poll: a poll that detects another chain replaces "Try again" by "Switch", so a click
 * could hit either button.
 */
async function delayNextResponse(wallet: ScriptedWallet, method: string): Promise<{ respond(value: unknown): void }> {
  return new Promise((resolve) => {
    wallet.respondNext(method, () => new Promise((respond) => resolve({ respond })))
  })
}

test('purchase: offers test ITO of the demo, or the operator’s link, when the wallet has too little ITO', async ({
  browser,
}) => {
  const { page, dialog } = await openBuyer(shop, browser, { ito: '4' })
  await page.getByRole('button', { name: 'Select Plan: 3 days, 75 ITO' }).click()
  await expect(dialog.getByText('Insufficient ITO tokens. You need 75 ITO but only have 4.00 ITO.')).toBeVisible()
  await expect(dialog.getByText('Missing').locator('..')).toHaveText('Missing71 ITO')
  await expectAccessible(page, 'a purchase with too little ITO')
  const request = dialog.getByRole('button', { name: 'Get 100 test ITO' })
  await page.route('**/dev/faucet', (route) => route.fulfill({ status: 503 }), { times: 1 })
  await request.click()
  await expectToastIn(page, 'No test ITO', 'The demo did not respond. Try again.')
  await request.click()
  await expect(dialog.getByRole('button', { name: 'Pay 75 ITO' })).toBeEnabled()
  await expect(dialog.getByText('Missing')).toHaveCount(0)
  await expect(dialog.getByText('104.00 ITO')).toBeVisible()

  const link = 'https://exchange.example/swap?to=ITO'
  const otherBuyer = await openBuyer(shop, browser, { ito: '4' })
  await otherBuyer.page.route('**/api/config', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, demo: false, tokenExchangeUrl: link } })
  })
  await otherBuyer.page.reload()
  await openConnectedDashboard(otherBuyer.page)
  await choosePlan(otherBuyer.page)
  const exchangeLink = otherBuyer.dialog.getByRole('link', { name: 'Get ITO' })
  await expect(exchangeLink).toHaveAttribute('href', link)
  await expect(exchangeLink).toHaveAttribute('rel', 'noopener noreferrer')
  await expect(otherBuyer.dialog.getByText(/opens exchange\.example, /)).toBeVisible()
})

test('purchase: no tab is blocked when the wallet hangs, and a late transaction is credited', async ({ browser }) => {
  const { page, wallet, dialog, context, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  let confirm: (hash: Hex) => void = () => {}
  wallet.respondNext('eth_sendTransaction', new Promise((resolve) => (confirm = resolve)))
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Confirm in your wallet' })).toBeVisible()

  const otherTab = await openTab(shop, context, account)
  await choosePlan(otherTab.page)
  await otherTab.dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(otherTab.dialog.getByText(/^Another tab of this browser is asking your wallet/)).toBeVisible()
  expect(otherTab.wallet.sentTransactions).toEqual([])

  await dialog.getByRole('button', { name: 'Stop waiting' }).click()
  await expect(dialog.getByText(/^We stopped waiting for your wallet/)).toBeVisible()
  confirm(await chain.transfer(account, '10'))
  await expect(dialog.getByText('1/2')).toBeVisible()
  await expect(otherTab.dialog.getByText('1/2'), 'the other tab is updated').toBeVisible()
  await chain.mine()
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  await expect(otherTab.page.getByText('Active', { exact: true }).first()).toBeVisible()
  expect(otherTab.wallet.sentTransactions).toEqual([])
})

test('purchase: the payment watcher credits the payment and other devices show its progress when the page is closed after signing', async ({
  browser,
}) => {
  const { page, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  await page.route('**/api/orders/*/transaction', (route) => route.abort())
  // The page must not be closed before the chain has the transaction.
  const nonce = await chain.readNonce(account)
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect.poll(() => chain.readNonce(account)).toBe(nonce + 1)
  await page.close()

  const secondContext = await signIn(shop, browser, account)
  const secondDevice = await openTab(shop, secondContext, account)
  await secondDevice.page.getByRole('button', { name: 'Payment…' }).click()
  await expect(secondDevice.dialog.getByText('1/2')).toBeVisible()
  await chain.mine()
  await expect(secondDevice.dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  expect(secondDevice.wallet.sentTransactions).toEqual([])
})

test('purchase: shows the missing amount and offers to send exactly the rest when the payment is too low', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  wallet.rejectNext('eth_sendTransaction')
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByText(/^You cancelled/)).toBeVisible()
  await chain.transfer(account, '6')
  await chain.mine(2)
  await expect(dialog.getByText(/^We saw 6 of 10 ITO\. Send 4 more, from the same wallet/)).toBeVisible()
  await expect(dialog.getByText('We never ask for your seed phrase.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Send 4 ITO more' }).click()
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine(2)
  await expect(dialog.getByText(/The payment came in several transfers\.$/)).toBeVisible()
  expect(decodeTransfers(wallet).at(-1)).toEqual({
    contract: chain.token,
    to: chain.treasury,
    amountWei: parseEther('4'),
  })
  await page.goto(`${product.url}/history?tab=payments`)
  await expect(page.getByText('Topped up, in several transfers')).toBeVisible()
})

test('purchase: follows the replacement transaction when a payment is cancelled or sped up in the wallet', async ({
  browser,
}) => {
  const { page, dialog, account } = await openBuyer(shop, browser)
  /** Hashes of the transactions that the page has fetched. */
  const fetchedHashes = new Set<string>()
  await chain.setAutomine(false)
  try {
    await choosePlan(page)
    const cancelled = await payPending(dialog.getByRole('button', { name: 'Pay 10 ITO' }))
    await chain.cancelByReplacement(account, cancelled.nonce, 50n * gwei)
    await chain.mine()
    await expect(dialog.getByText(/^You cancelled this payment in your wallet\./)).toBeVisible()
    await chain.mine(2)
    const retry = dialog.getByRole('button', { name: 'Try again' })
    await expect(retry).toBeEnabled()
    const retriedTransaction = await payPending(retry)
    expect(retriedTransaction.nonce).toBe(cancelled.nonce + 1)

    const replacement = await chain.transfer(account, '10', {
      nonce: retriedTransaction.nonce,
      tip: 60n * gwei,
      gas: 100_000n,
    })
    await chain.mine()
    await expect(
      dialog.getByText(new RegExp(`^You replaced the transaction\\. Now watching ${replacement}\\.`)),
    ).toBeVisible()
    await chain.mine()
    await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  } finally {
    await chain.setAutomine(true)
  }

  async function payPending(button: Locator) {
    const nonce = await chain.readNonce(account)
    // Wait until the page has fetched the transaction. Otherwise it cannot distinguish between a
    // replaced and a dropped transaction.
    const replacementLookup = page.waitForResponse((response) => {
      const [, hash] = /eth_getTransactionByHash\D*(0x[0-9a-f]{64})/.exec(response.request().postData() ?? '') ?? []
      return hash !== undefined && !fetchedHashes.has(hash) && Boolean(fetchedHashes.add(hash))
    })
    // Wait also until it has searched a block for the transaction. Until then, it skips new blocks.
    const firstBlockRead = page.waitForResponse((response) =>
      /eth_getBlockByNumber.{1,60}true/.test(response.request().postData() ?? ''),
    )
    await button.click()
    await expect(dialog.getByRole('heading', { name: 'Payment sent' })).toBeVisible()
    await replacementLookup
    await firstBlockRead
    return { nonce }
  }
})

test('purchase: shows the lost fee when the transaction reverts, and can be dismissed when it is unconfirmed for ten minutes', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await page.clock.install()
  await choosePlan(page)
  wallet.respondNext('eth_sendTransaction', await chain.transfer(account, '5000', { gas: 100_000n }))
  await dialog.getByRole('button', { name: 'Pay 10 ITO' }).click()
  await expect(dialog.getByRole('heading', { name: 'Payment failed' })).toBeVisible()
  const revertMessage =
    /^The network rejected the payment\. No ITO left your wallet; the fee of 0\.\d+ ETH was spent\.$/
  await expect(dialog.getByText(revertMessage)).toBeVisible()
  await chain.setAutomine(false)
  try {
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await expect(dialog.getByRole('heading', { name: 'Payment sent' })).toBeVisible()
    await page.clock.fastForward('11:00')
    await expect(
      dialog.getByText(/^Not confirmed after 10 minutes\. It may still confirm; we keep watching 0x/),
    ).toBeVisible()
    await dialog.getByRole('button', { name: 'Stop watching' }).click()
    await expect(page.getByRole('button', { name: 'Subscribe' }).first()).toBeVisible()
  } finally {
    await chain.setAutomine(true)
  }
  await chain.mine(3)
  await page.reload()
  await openConnectedDashboard(page)
  await expect(
    page.getByText('Active', { exact: true }),
    'the payment is credited after it was dismissed',
  ).toBeVisible()
})

test('purchase: accepts a pasted transaction, and rejects it when it is invalid or from another wallet', async ({
  browser,
}) => {
  const { page, wallet, dialog, account } = await openBuyer(shop, browser)
  await choosePlan(page)
  await dialog.getByRole('button', { name: 'I paid: paste the transaction' }).click()
  const field = dialog.getByLabel('Transaction', { exact: true })
  const checkButton = dialog.getByRole('button', { name: 'Check transaction' })
  await checkButton.click()
  await expect(dialog.getByText(/^Paste the transaction first/)).toBeVisible()
  await field.fill(testAccount(account).address)
  await checkButton.click()
  await expect(dialog.getByText(/^This is an address/)).toBeVisible()
  await field.fill(await chain.transfer(3, '10'))
  await checkButton.click()
  await expect(dialog.getByText(/^This payment did not come from 0x/)).toBeVisible()
  // Keep the transfer out of a block until it is reported. Otherwise the server can find it earlier
  // and close the form.
  await chain.setAutomine(false)
  try {
    await field.fill(`https://explorer.example/tx/${await chain.transfer(account, '10')}`)
    await checkButton.click()
    await expect(dialog.getByRole('heading', { name: 'Payment sent' })).toBeVisible()
    await chain.mine()
  } finally {
    await chain.setAutomine(true)
  }
  await expect(dialog.getByText('1/2')).toBeVisible()
  await chain.mine(2)
  await expect(dialog.getByRole('heading', { name: 'Subscription active' })).toBeVisible()
  expect(wallet.sentTransactions).toEqual([])
})

test('dashboard: asks to switch networks when an admin changes the payment chain', async ({ browser }) => {
  const { page } = await openBuyer(shop, browser)
  await expect(page.getByText('Local Chain').first()).toBeVisible()
  for (const path of ['**/api/config', '**/api/status']) {
    await page.route(path, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      await route.fulfill({
        response,
        json: { ...body, chain: { ...body.chain, id: 137, name: 'Polygon (MATIC)' } },
      })
    })
  }
  await refetchPolledData(page)
  await expect(page.getByRole('button', { name: 'Wrong Network Switch to Polygon (MATIC)' })).toBeVisible()
  await expect(page.getByText('Please switch to Polygon (MATIC) to use this application.').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Switch to Polygon (MATIC)', exact: true })).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

/** Decodes the sent transactions. Throws unless each is a plain token transfer. */
function decodeTransfers({ sentTransactions }: ScriptedWallet) {
  return sentTransactions.map(({ to, data = '0x', value = '0x0' }) => {
    const { functionName, args } = decodeFunctionData({ abi: itoTokenAbi, data })
    if (functionName !== 'transfer' || BigInt(value) !== 0n)
      throw new Error(`Unexpected contract call: ${functionName}`)
    return { contract: to, to: args[0], amountWei: args[1] }
  })
}
